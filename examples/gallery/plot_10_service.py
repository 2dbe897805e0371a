"""
A service and its live page
===========================

``splitgp serve`` keeps one model for many clients. Sensors post rows, programs ask for predictions, people watch a
live page. This program starts a service, sends rows to it as a sensor would, and reads what the live page shows.
"""

import json
import socket
import subprocess
import sysconfig
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

# %%
# Start it on a free port. The model file is made when the first rows come.

folder = tempfile.TemporaryDirectory()
with socket.socket() as probe:
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
command = Path(sysconfig.get_path("scripts")) / "splitgp"
address = f"127.0.0.1:{port}"
flags = ["--model", f"{folder.name}/pump.splitgp", "--target", "power", "--listen", address]
server = subprocess.Popen([command, "serve", *flags], stderr=subprocess.DEVNULL)


def call(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"http://{address}{path}", data, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


for _ in range(200):
    try:
        urllib.request.urlopen(f"http://{address}/v2/health/live", timeout=5).close()
        break
    except OSError:
        time.sleep(0.05)

# %%
# A pump's power depends on speed and pressure. Rows come in batches, with ids that make it safe to send them again
# after a time-out. A row is acknowledged when it is on the disk.

rng = np.random.default_rng(0)
for batch in range(30):
    rows = []
    for k in range(20):
        speed, pressure = rng.uniform(10, 50), rng.uniform(1, 6)
        power = 0.02 * speed**2 + speed * pressure / 10 + 0.5 * rng.standard_normal()
        rows.append({"id": f"{batch}-{k}", "speed": speed, "pressure": pressure, "power": power})
    answer = call("/v2/models/pump/rows?id=id", rows)
print(json.dumps(answer["results"][-1], indent=1))

# %%
# A row without its target is a question.

question = [{"speed": 30, "pressure": 3.5}]
print(json.dumps(call("/v2/models/pump/rows?learn=false", question)["results"], indent=1))

# %%
# What the live page shows is also there for programs, for example the error and coverage of the last rows.

state = call("/live/state")
print(json.dumps(state["figures"], indent=1))

# %%
# In a browser the page at ``/`` shows all of it as it happens:
#
# .. image:: ../pictures/live.png
#    :alt: The live page of a gas turbine's model: error and coverage over time, the latest rows with their
#          intervals, the map of the partition, the relevance of the inputs and a form for questions.

server.terminate()
server.wait(timeout=20)
folder.cleanup()
# sphinx_gallery_thumbnail_path = "pictures/live_what_if.png"
