"""powergen: error and run time against the observations per local model (Fig. 5b)."""

from experiments.powergen import drawing, measuring, page
from experiments.shared.experiment import Experiment

EXPERIMENT = Experiment(
    title="error and run time against observations per local model (Fig. 5 b)",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
