"""The paper's synthetic function: error, memory and training time along the stream (Figs. 3, 4)."""

from experiments.shared.experiment import Experiment
from experiments.synthetic import drawing, measuring, page

EXPERIMENT = Experiment(
    title="the paper's synthetic function: error, memory, time along the stream (Figs. 2–4)",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
