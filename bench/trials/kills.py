"""The command, killed at random moments: nothing is lost, and nothing is learned twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from random import Random

from trials.command import (
    Campaign, TrialFailed, difference, first_rows, write_rows, write_sites,
)  # fmt: skip

# Each teaches something else to lose: splits, trainings, forgetting, lists, error bars, times.
STREAMS = (
    ("--training", "off", "--length-scale", "0.5"),
    ("--training-observations", "100"),
    ("--training", "background", "--training-observations", "100"),
    ("--window-size", "150", "--training-observations", "80"),
    ("--max-observations", "120", "--training", "off", "--length-scale", "0.5"),
    ("--durability", "normal", "--calibration", "conformal", "--training-observations", "80"),
)
# Of every third stream so many rows lie in a file of their own, before the others: from so few the
# recipe is found, and then it grows (src/cli/stream/growing.h).
FIRST = 5
COMMON = ("--target", "y", "--capacity", "40", "--commit-every", "0.02", "--batch", "64")


def kill_streams(campaign: Campaign, folder: Path, kills: int, chance: Random) -> tuple[int, int]:
    """Every stream is killed until its share of kills is spent, and then finishes."""
    done = ends = 0
    count = 4000 if campaign.long else 1200
    rows = write_rows(folder / "rows.csv", count, campaign.seed)
    sites = write_sites(folder / "sites.csv", count, campaign.seed, FIRST)
    begin = first_rows(sites, FIRST, folder / "begin.csv")
    lines = sites.read_text().splitlines(keepends=True)
    sites.write_text("".join([lines[0], *lines[1 + FIRST :]]))
    queries = write_sites(folder / "queries.csv", 50, campaign.seed + 1)
    while done < kills and not campaign.is_over():
        flags = STREAMS[ends % len(STREAMS)]
        inputs = (begin, sites) if ends % 3 == 1 else (rows,)
        model = folder / f"m{ends}.splitgp"
        arguments = ("stream", *inputs, "--model", model, *COMMON, *flags)
        began = time.monotonic()
        calm = folder / f"calm{ends}.splitgp"
        undisturbed = campaign.run("stream", *inputs, "--model", calm, *COMMON, *flags)
        if undisturbed.returncode != 0:
            raise TrialFailed(f"an undisturbed stream ended with {undisturbed.returncode}")
        takes = time.monotonic() - began
        held = 0
        for _ in range(min(kills - done, 40 if campaign.long else 2)):
            victim = campaign.start(*arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.0, 0.4 * takes))
            victim.kill()
            code = victim.wait()
            if code not in (0, -signal.SIGKILL):
                raise TrialFailed(f"the stream ended with {code}: {flags}")
            done += code != 0
            if not model.exists():
                continue
            now = campaign.learned(model)
            if now < held:
                raise TrialFailed(f"{now} rows after a kill, {held} before: {flags}")
            held = now
            if code == 0:  # it was at its end, so that later kills would find nothing to do
                break
        last = campaign.run(*arguments)
        if last.returncode != 0:
            raise TrialFailed(f"the stream does not go on: {last.stderr.decode()} {flags}")
        if campaign.learned(model) != campaign.learned(calm):
            raise TrialFailed(f"rows are lost or doubled: {flags}")
        # Which row a training in the background ends at is not the same twice.
        if "background" not in flags:
            worst = difference(campaign.answers(model, queries), campaign.answers(calm, queries))
            if not worst < 1e-9:
                raise TrialFailed(f"the model differs by {worst:.3g} from an undisturbed one: {flags}")
        ends += 1
    return done, ends


def kill_forgets(campaign: Campaign, folder: Path, kills: int, chance: Random) -> int:
    """Forgetting takes all of the rows or none of them."""
    rows = write_rows(folder / "learned.csv", 400, campaign.seed)
    model = folder / "forget.splitgp"
    if campaign.run("stream", rows, "--model", model, *COMMON, *STREAMS[0]).returncode != 0:
        raise TrialFailed("the stream before forgetting failed")
    held, at, done = 400, 0, 0
    while done < kills and not campaign.is_over():
        if at + 5 > 400:
            model.unlink()
            campaign.run("stream", rows, "--model", model, *COMMON, *STREAMS[0])
            held, at = 400, 0
        victim = campaign.start("forget", "--model", model, "--rows", f"{at}-{at + 4}",
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.0, 0.03))
        victim.kill()
        done += victim.wait() == -signal.SIGKILL
        now = campaign.learned(model, "observations")
        if now not in (held, held - 5):
            raise TrialFailed(f"{now} rows are held after forgetting 5 of {held}")
        if now != held:
            at += 5
        held = now
    return done


def kill_services(campaign: Campaign, kills: int) -> str:
    """bench/serve_kill, which kills a server while clients learn, a round of kills at a time."""
    done = rows = 0
    while done < kills and not campaign.is_over():
        round_of = min(kills - done, 20)
        ended = subprocess.run(
            [sys.executable, campaign.root / "bench" / "serve_kill", "--kills", str(round_of), "--seed",
             str(campaign.seed + done), "--training", "inline", "--command", campaign.command],
            capture_output=True, text=True, check=False,
        )
        if ended.returncode != 0:
            raise TrialFailed(f"serve_kill: {ended.stderr.strip() or ended.stdout.strip()}")
        done += round_of
        rows += int(ended.stdout.partition(": ")[2].partition(" ")[0])
    return f"{done} kills, {rows} rows acknowledged, each in its file once"


def run(campaign: Campaign) -> str:
    chance = campaign.chance("kills")
    streams, forgets, services = (600, 200, 200) if campaign.long else (4, 2, 2)
    now = time.monotonic()
    left = campaign.end - now
    with tempfile.TemporaryDirectory() as name:
        # Parts of the time, so that a campaign that is cut short has seen a sample of each kind.
        first = replace(campaign, end=now + 0.5 * left)
        killed, models = kill_streams(first, Path(name), streams, chance)
        second = replace(campaign, end=now + 0.6 * left)
        forgotten = kill_forgets(second, Path(name), forgets, chance)
    return (
        f"{killed} kills of streams with {models} models and their trainings, {forgotten} of forget; "
        f"service: {kill_services(campaign, services)}"
    )
