"""The paper's experiments, with its rivals, and some beyond it.

    python -m experiments NAME|all

NAME is synthetic, kin40k, powergen, figure1, theory, beyond, stages, cost, tables or drift. Its
folder has what measures it, draws its figures and writes its page. What several need is in shared/,
and the pages that draw on several are in overviews/. scale/ and benchmarks/ hold other programs.

Run it from the root of a checkout. Each experiment writes its measurements (CSV, one row each),
figures (PNG and SVG) and a page made from them. An interrupted run continues where it stopped: what
the CSV holds is not measured again.
"""
