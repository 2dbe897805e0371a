"""Whether intervals hold what they promise, whenever the answer comes."""

from experiments.coverage import drawing, measuring, page
from experiments.shared.experiment import Experiment

EXPERIMENT = Experiment(
    title="what intervals hold when answers are late, time is unknown or the horizon is long",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
