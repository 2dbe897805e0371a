"""Stream and service under memory limits that are too small: what was acknowledged is in the file."""

from __future__ import annotations

import json
import resource
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from trials.command import Campaign, TrialFailed, message, write_rows


def limited(kilobytes: int):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (kilobytes * 1024, kilobytes * 1024))


def limit_stream(campaign: Campaign, folder: Path, rows: Path, kilobytes: int) -> bool:
    """Whether the limit was too small."""
    model = folder / f"stream{kilobytes}.splitgp"
    ended = campaign.run("stream", rows, "--target", "y", "--model", model,
                         preexec_fn=limited(kilobytes))
    if ended.returncode < 0:
        raise TrialFailed(f"{kilobytes} kB: the stream ended by signal {-ended.returncode}")
    if ended.returncode > 0 and "memory" not in message(ended):
        raise TrialFailed(f"{kilobytes} kB: {message(ended)}")
    if model.exists():
        campaign.learned(model)
    return ended.returncode != 0


def post(port: int, first: int, count: int) -> bool:
    numbers = range(first, first + count)
    body = {"x": [[(i * 0.618) % 1.0, (i * 0.383) % 1.0] for i in numbers],
            "y": [(i * 0.618) % 1.0 for i in numbers], "ids": [str(i) for i in numbers]}
    request = Request(f"http://127.0.0.1:{port}/v2/models/m/learn", json.dumps(body).encode(),
                      {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=30) as answer:
            return answer.status == 200
    except (HTTPError, URLError, OSError):
        return False


def limit_service(campaign: Campaign, folder: Path, kilobytes: int, port: int) -> int:
    """How many rows were acknowledged."""
    model = folder / f"serve{kilobytes}.splitgp"
    server = campaign.start("serve", "-m", model, "--name", "m", "--listen", f"127.0.0.1:{port}",
                            "--log", "none", "--http-threads", "1", preexec_fn=limited(kilobytes),
                            stderr=subprocess.DEVNULL)
    acknowledged = 0
    misses = 0
    most = 20_000 if campaign.long else 2_000
    try:
        while server.poll() is None and misses < 200 and acknowledged < most:
            if post(port, acknowledged, 200):
                acknowledged += 200
                misses = 0
            else:
                misses += 1
                time.sleep(0.05)
    finally:
        server.terminate()
        code = server.wait()
    if code == 0 and misses >= 200:
        raise TrialFailed(f"{kilobytes} kB: the service answers nothing and ends with 0")
    if acknowledged == 0 and kilobytes >= 450_000:
        raise TrialFailed(f"{kilobytes} kB: the service ended with {code} before it learned a row")
    if model.exists() and acknowledged > 0:
        campaign.learned(model)
        with sqlite3.connect(f"file:{model}?mode=ro", uri=True) as file:
            ids = {one for (one,) in file.execute("SELECT id FROM served_id")}
        lost = [i for i in range(acknowledged) if str(i) not in ids]
        if lost:
            raise TrialFailed(f"{kilobytes} kB: {len(lost)} acknowledged rows are not in the file")
    return acknowledged


def run(campaign: Campaign) -> str:
    from socket import socket

    step = 3_000 if campaign.long else 40_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = write_rows(folder / "rows.csv", 20_000 if campaign.long else 3_000)
        limits = range(40_000, 200_000, step)
        streams = small = 0
        # In any order, so that a campaign that is cut short has seen a sample.
        chance = campaign.chance("memory")
        now = time.monotonic()
        half = now + (campaign.end - now) / 2
        for kilobytes in chance.sample(limits, len(limits)):
            if time.monotonic() >= half:
                break
            small += limit_stream(campaign, folder, rows, kilobytes)
            streams += 1
        acknowledged = services = 0
        servers = range(180_000, 480_000, 10 * step) if campaign.long else (450_000,)
        for kilobytes in chance.sample(servers, len(servers)):
            if campaign.is_over():
                break
            with socket() as one:
                one.bind(("127.0.0.1", 0))
                port = one.getsockname()[1]
            acknowledged += limit_service(campaign, folder, kilobytes, port)
            services += 1
    return (
        f"{streams} streams, {small} of them without enough; {services} services "
        f"acknowledged {acknowledged} rows, all in their files; every file opens"
    )
