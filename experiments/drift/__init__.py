"""When the world changes: ways to forget side by side, and how soon and how truly alarms come."""

from experiments.drift import drawing, measuring, page
from experiments.shared.experiment import Experiment

EXPERIMENT = Experiment(
    title="streams that change: ways to forget, and how soon and how truly alarms come",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
