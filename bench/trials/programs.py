"""What only our test programs can do, again and again, until the campaign is over."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from trials.command import Campaign, TrialFailed


def without_random_addresses() -> list[str]:
    """GCC 12's thread sanitizer gives up on some kernels' address randomisation."""
    command = ["setarch", "--addr-no-randomize"]
    try:
        allowed = subprocess.run([*command, "true"], capture_output=True, check=False)
    except OSError:
        return []
    return command if allowed.returncode == 0 else []


def run_tests(campaign: Campaign, program: Path, tests: str, times: int, **environment: str) -> int:
    """How many tests ran."""
    if not program.exists():
        raise TrialFailed(f"{program} is not built")
    ran = 0
    for _ in range(times):
        if campaign.is_over():
            break
        ended = subprocess.run(
            [*without_random_addresses(), program, f"--gtest_filter={tests}", "--gtest_brief=1"],
            capture_output=True, text=True, check=False, env={**os.environ, **environment},
        )
        if ended.returncode != 0:
            raise TrialFailed((ended.stdout + ended.stderr)[-1500:])
        found = re.findall(r"\[==========\] (\d+) tests? from .* ran", ended.stdout)
        if not found:
            raise TrialFailed(f"{program.name} has no test called {tests}")
        ran += int(found[0])
    return ran


def run_shards(campaign: Campaign) -> str:
    """Shards and routers that die at random messages (tests/scale_test.cc)."""
    build = campaign.command.parent / "tests"
    times = 200 if campaign.long else 1
    ran = run_tests(campaign, build / "scale_optimised_tests", "ScaleFaults.*", times)
    return f"{ran} runs with shards and routers that die, each with the model of one machine"


def run_threads(campaign: Campaign) -> str:
    """One writer and 32 readers under the thread sanitizer (tests/serve_threads_test.cc)."""
    program = campaign.root / "build" / "tsan" / "tests" / "serve_threads_tests"
    ran = run_tests(campaign, program, "ServeThreads.*", 20 if campaign.long else 1,
                    SPLITGP_READERS="32")
    return f"{ran} runs with one writer and 32 readers, no race"
