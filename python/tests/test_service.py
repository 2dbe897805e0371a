"""What docs/service.md shows is run, in its order, against real servers; the unit is checked."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "service.md"
UNIT = ROOT / "packaging" / "splitgp@.service.in"


def blocks() -> list[tuple[str, str]]:
    """The document's blocks of code: language and text."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True


def any_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Servers:
    """Runs the document's commands. Its ports are its own, unless another process has them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {port: port if is_free(port) else any_port() for port in (8080, 8081)}
        scripts = sysconfig.get_path("scripts")
        self.environment = os.environ | {"PATH": f"{scripts}:{os.environ['PATH']}"}
        self.running: list[subprocess.Popen[bytes]] = []

    def text(self, block: str) -> str:
        for port, used in self.ports.items():
            block = block.replace(f":{port}", f":{used}")
        return block

    def start(self, command: str) -> None:
        command = self.text(command)
        with (self.folder / f"log{len(self.running)}").open("wb") as log:
            process = subprocess.Popen(
                ["bash", "-c", f"exec {command}"],
                cwd=self.folder,
                env=self.environment,
                stderr=log,
            )
        self.running.append(process)
        port = int(re.search(r":(\d+)", command)[1])  # type: ignore[index]
        for _ in range(600):
            assert process.poll() is None, Path(log.name).read_text()
            try:
                if requests.get(f"http://127.0.0.1:{port}/v2/health/live", timeout=5).ok:
                    return
            except requests.ConnectionError:
                time.sleep(0.05)
        pytest.fail(f"{command}: nobody answers")

    def shell(self, block: str) -> str:
        # head ends the pipe before curl has written everything, as it should.
        result = subprocess.run(
            ["bash", "-euc", self.text(block)],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
        )
        assert result.returncode == 0, f"{block}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    def stop(self) -> None:
        for process in self.running:
            process.send_signal(signal.SIGTERM)
        for process in self.running:
            assert process.wait(timeout=60) == 0


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    result = Servers(tmp_path)
    yield result
    result.stop()


def check_answer(shown: object, real: object, where: str) -> None:
    """What the document shows is what came, but for digits that it leaves out."""
    if isinstance(shown, dict):
        assert isinstance(real, dict), where
        assert set(shown) == set(real), where
        for key, value in shown.items():
            check_answer(value, real[key], f"{where}.{key}")
    elif isinstance(shown, list):
        assert isinstance(real, list), where
        for value, came in zip(shown, real, strict=True):
            check_answer(value, came, f"{where}[]")
    elif isinstance(shown, float):
        assert shown == pytest.approx(real, rel=1e-3), where
    else:
        assert shown == real, where


def scrape(config: str, servers: Servers) -> None:
    """Scrapes as the configuration says."""
    (job,) = yaml.safe_load(servers.text(config))["scrape_configs"]
    (servers.folder / job["authorization"]["credentials_file"]).write_text("unused\n")
    for target in job["static_configs"][0]["targets"]:
        answer = requests.get(f"http://{target}{job['metrics_path']}", timeout=10)
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        answer.raise_for_status()
    promtool = shutil.which("promtool")
    if promtool:
        path = servers.folder / "prometheus.yml"
        path.write_text(config)
        subprocess.run([promtool, "check", "config", path], check=True)


def test_every_example_of_the_document_runs(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(servers.folder)
    names: dict[str, object] = {}
    said = ""
    kinds = []
    for language, block in blocks():
        kinds.append(language)
        if language == "sh" and block.startswith("splitgp serve"):
            servers.start(block.strip())
        elif language == "sh":
            said = servers.shell(block)
        elif language == "json":
            check_answer(json.loads(block), json.loads(said), "answer")
        elif language == "python":
            exec(compile(servers.text(block), str(DOCUMENT), "exec"), names)
        elif language == "yaml":
            scrape(block, servers)
        else:
            pytest.fail(f"a block of {language} is not run")
    assert {"sh", "json", "python", "yaml"} <= set(kinds)


def test_every_metric_is_in_the_document(servers: Servers) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    servers.start(f"splitgp serve --model m.splitgp --listen 127.0.0.1:{servers.ports[8080]}")
    url = f"http://127.0.0.1:{servers.ports[8080]}"
    learned = requests.post(
        f"{url}/v2/models/m/learn", json={"x": [[0], [1]], "y": [1, 2]}, timeout=20
    )
    learned.raise_for_status()
    text = requests.get(f"{url}/metrics", timeout=10).text
    document = DOCUMENT.read_text()
    families = list(text_string_to_metric_families(text))
    assert len(families) > 20
    for family in families:
        name = family.name + ("_total" if family.type == "counter" else "")
        assert f"`{name}`" in document, f"docs/service.md does not explain {name}"
        assert family.documentation, name


def test_the_service_manager_is_told(tmp_path: Path) -> None:
    """As systemd would hear it: ready, alive, stopping."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(30)
        scripts = sysconfig.get_path("scripts")
        process = subprocess.Popen(
            ["splitgp", "serve", "--model", "m.splitgp", "--listen", "127.0.0.1:0"],
            cwd=tmp_path,
            env=os.environ
            | {
                "PATH": f"{scripts}:{os.environ['PATH']}",
                "NOTIFY_SOCKET": str(tmp_path / "notify"),
                "WATCHDOG_USEC": "1000000",
            },
        )
        assert manager.recv(100) == b"READY=1"
        assert manager.recv(100) == b"WATCHDOG=1"
        assert manager.recv(100) == b"WATCHDOG=1"
        process.send_signal(signal.SIGTERM)
        told = manager.recv(100)
        while told == b"WATCHDOG=1":
            told = manager.recv(100)
        assert told == b"STOPPING=1"
        assert process.wait(timeout=60) == 0


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="this machine has no systemd")
def test_the_unit_is_sound_and_confined(tmp_path: Path) -> None:
    # `cmake --install` writes the command's path into it; systemd wants it to exist.
    unit = tmp_path / "splitgp@my.service"
    unit.write_text(UNIT.read_text().replace("@SPLITGP_COMMAND@", sys.executable))
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True
    )
    complaints = [line for line in verified.stderr.splitlines() if "splitgp" in line]
    assert verified.returncode == 0, verified.stderr
    assert not complaints
    # 0 is confined, 10 is not; below 2 systemd calls it "OK" with room to spare.
    confined = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit],
        capture_output=True,
        text=True,
    )
    assert confined.returncode == 0, confined.stdout + confined.stderr
    for line in ("Type=notify", "WatchdogSec=", "ProtectSystem=strict", "NoNewPrivileges=yes"):
        assert line in unit.read_text()
