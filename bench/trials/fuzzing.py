"""Mutated requests to the service: no answer of 5xx, and honest rows are learned all the while."""

from __future__ import annotations

import json
import socket
import tempfile
import time
from pathlib import Path
from random import Random

from trials.command import Campaign, TrialFailed
from trials.memory import post

PATHS = ("/v2/models/m/learn", "/v2/models/m/infer", "/v2/models/m/rows", "/v2/models/m/forget",
         "/v2/models/m", "/v2/health/live", "/metrics", "/live/events", "/report", "/", "/../x")
BODIES = (
    {"x": [[0.1, 0.2]], "y": [0.3]},
    {"x": [[0.1, 0.2]]},
    {"x": [[0.1, 0.2]], "y": [0.3], "ids": ["a"]},
    {"sequences": [1000000]},
    {"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP64", "data": [0.1, 0.2]}]},
)
PIECES = (b"\r\n", b"\r\n\r\n", b"\x00", b"-1", b"1e999", b"null", b"[", b"]", b"{", b"\"", b"%00",
          b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n", b"Host: x\r\n", b"\xff\xfe",
          b"A" * 3000, b"[" * 500, b"9" * 400, b"0\r\n\r\n")


def request(chance: Random) -> bytes:
    body = json.dumps(chance.choice(BODIES)).encode()
    head = (f"{chance.choice(('GET', 'POST', 'PUT', 'HEAD', 'OPTIONS'))} {chance.choice(PATHS)} HTTP/1.1\r\n"
            f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n").encode()
    message = bytearray(head + body)
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        at = chance.randrange(len(message) + 1)
        change = chance.randrange(4)
        if change == 0 and at < len(message):
            message[at] = chance.randrange(256)
        elif change == 1:
            message[at:at] = chance.choice(PIECES)
        elif change == 2:
            del message[at : at + chance.randint(1, 40)]
        else:
            message[at:at] = message[: chance.randint(1, len(message) or 1)]
    return bytes(message)


def send(port: int, message: bytes) -> int:
    """The status; 0 if there was none."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        try:
            connection.sendall(message)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(5)
            answer = connection.recv(4096)
        except OSError:
            return 0
    parts = answer.split(b" ", 2)
    return int(parts[1]) if len(parts) > 1 and parts[1].isdigit() else 0


def run(campaign: Campaign) -> str:
    chance = campaign.chance("requests")
    count = 200_000 if campaign.long else 400
    with tempfile.TemporaryDirectory() as name, socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
        one.close()
        model = Path(name) / "m.splitgp"
        server = campaign.start("serve", "-m", model, "--name", "m", "--listen", f"127.0.0.1:{port}",
                                "--log", "none", "--training", "off", "--length-scale", "0.5")
        try:
            for _ in range(200):
                if server.poll() is None and post(port, 0, 1):
                    break
                time.sleep(0.05)
            statuses: dict[str, int] = {}
            honest = 1
            done = 0
            while done < count and not campaign.is_over():
                i, done = done, done + 1
                message = request(chance)
                status = send(port, message)
                # 505 is the answer to a version of HTTP that nobody knows.
                kind = "505" if status == 505 else f"{status // 100}xx" if status else "no answer"
                statuses[kind] = statuses.get(kind, 0) + 1
                if kind == "5xx":
                    raise TrialFailed(f"{status} to {message[:300]!r}")
                if server.poll() is not None:
                    raise TrialFailed(f"the server ended after {message[:300]!r}")
                if i % 50 == 0:
                    if not post(port, 1_000_000 + honest, 1):
                        raise TrialFailed("an honest row is refused")
                    honest += 1
        finally:
            server.terminate()
            code = server.wait()
        if code != 0:
            raise TrialFailed(f"the server ended with {code}")
        learned = campaign.learned(model)
        if learned < honest:
            raise TrialFailed(f"{honest} honest rows were acknowledged, {learned} are in the file")
    answered = ", ".join(f"{n} of {kind}" for kind, n in sorted(statuses.items()))
    return f"{done} mutated requests: {answered}, and no other of 5xx; {honest} honest rows in the file"
