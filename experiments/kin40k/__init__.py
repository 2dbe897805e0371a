"""kin40k: error against the observations per local model (Fig. 5a)."""

from experiments.kin40k import drawing, measuring, page
from experiments.shared.experiment import Experiment

EXPERIMENT = Experiment(
    title="error against observations per local model (Fig. 5 a)",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
