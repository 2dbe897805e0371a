"""The page about the synthetic function."""

from __future__ import annotations

import math
from pathlib import Path

from experiments.shared import published
from experiments.shared.layout import estimate, head, markdown, number, picture, setting_text
from experiments.shared.methods import DEFAULT, RBCM
from experiments.shared.run import Settings
from experiments.shared.table import Table
from experiments.synthetic import measuring as synthetic

__all__ = ["page"]


def page(table: Table, settings: Settings) -> str:
    parts = [
        head("The paper's synthetic function", "synthetic", settings),
        "5 sin(x₁² + x₂²) + 3 x₁ on a grid, noise of standard deviation 0.05 max f; n rows in "
        "random order, a fifth of them held out (five folds), the rest learned one at a time. The "
        "kernel is rbf for all. Every method sees the same rows, folds and noise. Bands and ± are "
        "95 % confidence intervals of the mean over replicates. MSE is measured against the noisy "
        "held-out observations, as in the paper; “latent” against the function itself. Memory "
        "counts every byte of the model; the paper's figure is for the whole Python process.\n",
        picture(Path("synthetic_function.png"), "the two variants of the function"),
    ]
    last = synthetic.sizes(settings.quick)[-1]
    for variant in table.values("data"):
        one = table.where(data=variant, n=last)
        folds = min(synthetic.FOLDS_MEASURED[str(variant)], 2 if settings.quick else 5)
        formula = (
            "5 sin(x₁² + x₂²) + 3 x₁"
            if variant == "paper"
            else "5 sin(x₁² + 4 x₂²) + 3 x₁, centred"
        )
        replicates = one.where(metric="mse", method=DEFAULT).estimate("mse").replicates
        parts.append(
            f"## Variant “{variant}”: {formula}\n\n{replicates} replicates, {folds} of the 5 "
            "folds in each."
            f" At n = {last:,}:\n"
        )
        rows = []
        for method, setting in synthetic.competitors(settings.quick):
            of = {"method": method, "setting": setting}
            reference = (
                published.SYNTHETIC.get(method, {}).get(last) if variant == "paper" else None
            )
            if method == RBCM and setting == synthetic.split_limit(settings.quick):
                reference = None
            rows.append(
                (
                    method,
                    setting_text(method, setting),
                    estimate(one.estimate("mse", **of)),
                    number(math.sqrt(one.mean("mse_latent", **of))),
                    "–" if reference is None else number(reference),
                    number(1e-3 * one.mean("memory_bytes", **of)),
                    estimate(one.estimate("train_seconds", **of)),
                    number(1e6 * one.mean("predict_seconds", **of) / (last / synthetic.FOLDS)),
                )
            )
        columns = (
            "method",
            "observations per model",
            "MSE",
            "latent RMSE",
            "MSE, published",
            "memory, kB",
            "training, s",
            "one prediction, µs",
        )
        parts.append(markdown(columns, rows))
        parts.append(picture(Path(f"synthetic_{variant}.png"), "MSE, memory and training time"))
        parts.append(picture(Path(f"synthetic_{variant}_zoom.png"), "MSE after splits"))
    return "\n".join(parts)
