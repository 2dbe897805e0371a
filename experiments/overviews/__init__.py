"""The pages that draw on several experiments: a verdict on every claim, and the requirements."""
