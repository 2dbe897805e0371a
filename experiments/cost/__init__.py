"""Error against processor time: streaming models side by side, with labels at once and late."""

from experiments.cost import drawing, measuring, page
from experiments.shared.experiment import Experiment

EXPERIMENT = Experiment(
    title="error against processor time per row, beside other streaming models",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
