"""The paper's experiments, with its rivals, and some beyond it.

    python -m experiments synthetic|kin40k|powergen|figure1|theory|beyond|all

Each experiment writes its measurements (CSV, one row each), figures (PNG and SVG) and a page made
from them. A run that was stopped goes on where it was: what the CSV holds is not measured again.
"""
