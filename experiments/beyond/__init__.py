"""Beyond the paper: a robot arm with seven outputs, and two streams in time order."""

from experiments.beyond import drawing, measuring, page
from experiments.shared.experiment import Experiment

EXPERIMENT = Experiment(
    title="a robot arm with seven outputs and two streams in time order",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
