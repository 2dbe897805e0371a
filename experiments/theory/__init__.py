"""The paper's propositions and complexities, measured with a given θ (no training)."""

from experiments.shared.experiment import Experiment
from experiments.theory import drawing, measuring, page

EXPERIMENT = Experiment(
    title="the propositions and complexities, measured",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
