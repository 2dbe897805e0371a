"""Predictions of a model in shards over HTTP, by Ray Serve: the ten lines are class Answers."""

from __future__ import annotations

import json
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import ray
from ray import serve
from starlette.requests import Request

import splitgp
from splitgp.ray import ShardedGP


@serve.deployment(ray_actor_options={"num_cpus": 0.2})
class Answers:
    def __init__(self, path: str) -> None:
        self.model = ShardedGP.load(path, shards=2, cpus=0.2)

    async def __call__(self, request: Request) -> dict[str, list[float]]:
        prediction = self.model.predict((await request.json())["x"])
        low, high = prediction.interval(0.95)
        return {"mean": prediction.mean.tolist(), "low": low.tolist(), "high": high.tolist()}


def ask(x: list[list[float]]) -> dict[str, list[float]]:
    request = urllib.request.Request("http://127.0.0.1:8123/", json.dumps({"x": x}).encode())
    for _ in range(100):
        try:
            with urllib.request.urlopen(request) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            time.sleep(0.1)  # Serve is ready, but its proxy may learn the route a moment later
    raise TimeoutError("Serve's proxy did not learn the route within ten seconds")


def main() -> None:
    X = np.random.default_rng(0).uniform(0, 6, (300, 1))
    gp = splitgp.SplittingGP(split_limit=20, capacity=60)
    gp.update(X, np.sin(X[:, 0]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.splitgp"
        gp.save(path)
        ray.init(log_to_driver=False, logging_level="ERROR")
        serve.start(http_options={"host": "127.0.0.1", "port": 8123})
        serve.run(Answers.bind(str(path)))
        answer = ask([[1.0], [2.0]])
        serve.shutdown()
    same = np.allclose(answer["mean"], gp.predict([[1.0], [2.0]]).mean, atol=1e-9)
    print(answer, "ok" if same else "wrong")


if __name__ == "__main__":
    main()
