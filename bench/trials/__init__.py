"""The parts of bench/campaign."""
