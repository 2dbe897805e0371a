"""Tables as people have them: what their columns become, and what that is worth."""

from experiments.shared.experiment import Experiment
from experiments.tables import drawing, measuring, page

EXPERIMENT = Experiment(
    title="categories, gaps, time and lags: what the columns of a table become",
    jobs=measuring.jobs,
    draw=drawing.draw,
    page=page.page,
)
