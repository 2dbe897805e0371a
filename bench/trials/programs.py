"""What only our test programs can do, again and again."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from trials.command import Campaign, TrialFailed


def run_tests(program: Path, tests: str, times: int, **environment: str) -> int:
    """How many tests ran."""
    if not program.exists():
        raise TrialFailed(f"{program} is not built")
    ended = subprocess.run([program, f"--gtest_filter={tests}", f"--gtest_repeat={times}",
                            "--gtest_brief=1", "--gtest_break_on_failure=0"],
                           capture_output=True, text=True, check=False,
                           env={**os.environ, **environment})
    if ended.returncode != 0:
        raise TrialFailed((ended.stdout + ended.stderr)[-1500:])
    ran = sum(int(n) for n in re.findall(r"\[==========\] (\d+) tests? from .* ran", ended.stdout))
    if ran == 0:
        raise TrialFailed(f"{program.name} has no test called {tests}")
    return ran


def run_shards(campaign: Campaign) -> str:
    """Shards and routers that die at random messages (tests/scale_test.cc)."""
    build = campaign.command.parent / "tests"
    times = 200 if campaign.long else 1
    ran = run_tests(build / "scale_optimised_tests", "ScaleFaults.*", times)
    return f"{ran} runs with shards and routers that die, each with the model of one machine"


def run_threads(campaign: Campaign) -> str:
    """One writer and 32 readers under the thread sanitizer (tests/serve_threads_test.cc)."""
    program = campaign.root / "build" / "tsan" / "tests" / "serve_threads_tests"
    ran = run_tests(program, "ServeThreads.*", 20 if campaign.long else 1, SPLITGP_READERS="32")
    return f"{ran} runs with one writer and 32 readers, no race"
