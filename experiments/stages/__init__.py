"""The engine of before, and what borrowing, calibration and the trend each add to it."""

from experiments.shared.experiment import Experiment
from experiments.stages import drawing, measuring, page

EXPERIMENT = Experiment(
    title="what borrowing, calibration and the trend add, on every data set",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
