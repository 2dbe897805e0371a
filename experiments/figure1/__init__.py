"""Figure 1 of the paper: how a split cuts, and what one local GP alone does to continuity."""

from experiments.figure1 import drawing, measuring, page
from experiments.shared.experiment import Experiment

EXPERIMENT = Experiment(
    title="how a split cuts, and continuity (Fig. 1)",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
