"""`splitgp serve` as a process: kills, TLS, tables as `splitgp stream` reads them, its log."""

from __future__ import annotations

import csv
import importlib.machinery
import importlib.util
import json
import math
import random
import signal
import socket
import subprocess
import sysconfig
import time
from pathlib import Path
from types import ModuleType

import pytest
import requests

ROOT = Path(__file__).resolve().parents[2]
COMMAND = str(Path(sysconfig.get_path("scripts")) / "splitgp")


def script(name: str) -> ModuleType:
    """A command of bench/ as a module."""
    path = str(ROOT / "bench" / name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class Server:
    def __init__(self, folder: Path, *flags: str, scheme: str = "http") -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"{scheme}://127.0.0.1:{port}"
        self.log = folder / "server.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [COMMAND, "serve", "-m", "m.splitgp", "--listen", f"127.0.0.1:{port}", *flags],
                cwd=folder,
                stderr=log,
            )
        for _ in range(1000):
            assert self.process.poll() is None, self.log.read_text()
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return
            except OSError:
                time.sleep(0.02)
        pytest.fail("nobody listens")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=60) == 0


def test_killed_at_random_moments() -> None:
    # The whole campaign is 200 kills: bench/serve_kill.
    result = script("serve_kill").run(kills=5, n_clients=4, training="off", seed=3)
    assert "each once" in result


def write_table(path: Path, rows: int) -> None:
    chance = random.Random(5)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["time", "speed", "gear", "fuel"])
        for i in range(rows):
            speed, gear = chance.uniform(20, 120), chance.choice(["third", "fourth", "fifth"])
            fuel = 3 + (speed - 70) ** 2 / 1000 + len(gear) / 10 + chance.gauss(0, 0.1)
            stamp = f"2024-03-{1 + i // 24:02} {i % 24:02}:00"
            table.writerow([stamp, f"{speed:.2f}", gear, f"{fuel:.3f}"])


def test_rows_are_learned_as_stream_learns_them(tmp_path: Path) -> None:
    write_table(tmp_path / "rows.csv", 300)
    flags = ["-t", "fuel", "--lag", "fuel:1,2", "--training", "inline"]
    said = tmp_path / "said.csv"
    streamed = [
        COMMAND,
        "stream",
        "rows.csv",
        "-m",
        "stream.splitgp",
        "--predictions",
        said,
        *flags,
    ]
    subprocess.run(streamed, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
    with said.open() as file:
        expected = [float(row["mean"]) for row in csv.DictReader(file)]

    lines = (tmp_path / "rows.csv").read_text().splitlines()
    server = Server(tmp_path, *flags)
    got: list[float] = []
    # Both find the recipe from the same first rows if all come at once.
    for first, last in ((1, 251), (251, 301)):
        body = "\n".join([lines[0], *lines[first:last]]) + "\n"
        answer = requests.post(
            f"{server.url}/v2/models/m/rows", body, headers={"Content-Type": "text/csv"}, timeout=60
        )
        answer.raise_for_status()
        got += [row["mean"][0] for row in answer.json()["results"] if "mean" in row]
    server.stop()
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-9)

    # The one continues what the other began, in both directions.
    more = tmp_path / "more.csv"
    more.write_text(lines[0] + "\n" + "\n".join(lines[-20:]) + "\n")
    for model in ("m.splitgp", "stream.splitgp"):
        stream = [COMMAND, "stream", "more.csv", "-m", model]
        subprocess.run(stream, cwd=tmp_path, check=True, stdout=subprocess.DEVNULL)
        inspect = [COMMAND, "inspect", "--json", "-m", model]
        shown = subprocess.run(inspect, cwd=tmp_path, check=True, capture_output=True)
        assert json.loads(shown.stdout)["observations"] == 318  # two are too early for their lags
    (tmp_path / "m.splitgp").unlink()
    (tmp_path / "stream.splitgp").rename(tmp_path / "m.splitgp")
    server = Server(tmp_path)
    row = {"time": "2024-04-01 00:00", "speed": 80, "gear": "fifth"}
    asked = requests.post(f"{server.url}/v2/models/m/rows?learn=false", json=[row], timeout=20)
    assert math.isfinite(asked.json()["results"][0]["mean"][0])
    unknown = requests.post(f"{server.url}/v2/models/m/rows", json=[{"spede": 80}], timeout=20)
    assert unknown.status_code == 422
    server.stop()


def test_tls_and_tokens(tmp_path: Path) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out",
         "cert.pem", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=IP:127.0.0.1"],
        cwd=tmp_path, check=True, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    tokens = tmp_path / "tokens"
    tokens.write_text("predict,learn abcdefghijklmnopqrst\n")
    tokens.chmod(0o600)
    flags = ["--tls-cert", "cert.pem", "--tls-key", "key.pem", "--token-file", "tokens"]
    server = Server(tmp_path, *flags, "--log", "json", scheme="https")
    session = requests.Session()
    session.trust_env = False  # which may name other certificates
    session.verify = str(tmp_path / "cert.pem")
    body = {"x": [[1, 2], [2, 3]], "y": [1, 2]}
    assert session.post(f"{server.url}/v2/models/m/learn", json=body, timeout=20).status_code == 401
    session.headers["Authorization"] = "Bearer abcdefghijklmnopqrst"
    assert session.post(f"{server.url}/v2/models/m/learn", json=body, timeout=20).status_code == 200
    big = {"x": [[i, i] for i in range(5000)]}
    answer = session.post(f"{server.url}/v2/models/m/infer", json=big, timeout=20)
    assert len(answer.json()["outputs"][0]["data"]) == 5000
    assert session.get(f"{server.url}/v2/models/m/snapshot", timeout=20).status_code == 403
    server.stop()
    lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    asked = [line for line in lines if "status" in line]
    assert [line["status"] for line in asked] == [401, 200, 200, 403]
    assert "abcdefghijklmnopqrst" not in server.log.read_text()


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--listen", "0.0.0.0:0"], "--token-file"),
        (["--listen", "nonsense"], "--listen"),
        (["--listen", "127.0.0.1:0", "--tls-cert", "none.pem"], "--tls-key"),
        (["--listen", "127.0.0.1:0", "--token-file", "none"], "--token-file"),
        (["--listen", "127.0.0.1:0", "--max-rows", "0"], "--max-rows"),
    ],
)
def test_refuses_to_start(tmp_path: Path, flags: list[str], named: str) -> None:
    arguments = [COMMAND, "serve", "-m", "m.splitgp", *flags]
    result = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert result.returncode != 0
    assert named in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "m.splitgp").exists()
