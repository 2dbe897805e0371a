"""The paper's experiments, with its rivals, and some beyond it.

    python -m experiments synthetic|kin40k|powergen|figure1|theory|beyond|stages|all

Run it from the root of a checkout. Each experiment writes its measurements (CSV, one row each),
figures (PNG and SVG) and a page made from them. An interrupted run continues where it stopped: what
the CSV holds is not measured again.
"""
