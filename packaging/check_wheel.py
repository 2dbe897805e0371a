"""Checks an installed wheel where there is nothing else: no compiler, no CMake, no node.

Run it with the Python of an environment that holds splitgp and numpy alone.
"""

from __future__ import annotations

import gzip
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {"PATH": sysconfig.get_path("scripts"), "LC_ALL": "C.UTF-8"}
# Libraries that are shipped: those that LICENSES/README.md calls a shared library.
SHIPPED = {"libsqlite3", "libfmt", "libsimdjson", "liblzma", "libzstd", "libssl", "libcrypto"}
# Libraries that every system with this glibc has.
SYSTEM = {"linux-vdso", "ld-linux", "libc", "libm", "libdl", "libpthread", "libstdc++", "libgcc_s"}
SYSTEM |= {"libz"}


def check(fact: bool, message: str) -> None:
    if not fact:
        sys.exit(f"check_wheel: {message}")


def command(*arguments: str, **options: str) -> str:
    """Runs splitgp as a user would, found on the PATH."""
    program = shutil.which("splitgp", path=ENVIRONMENT["PATH"])
    check(program is not None, "there is no splitgp on the PATH")
    result = subprocess.run(
        ["splitgp", *arguments],
        executable=program,
        env=ENVIRONMENT | options,
        capture_output=True,
        text=True,
    )
    check(result.returncode == 0, f"splitgp {' '.join(arguments)}: {result.stderr}")
    return result.stdout


def check_environment() -> None:
    for tool in ("cc", "c++", "gcc", "g++", "clang", "cmake", "ninja", "node", "npm"):
        check(shutil.which(tool, path=ENVIRONMENT["PATH"]) is None, f"{tool} is on the PATH")
    names = {d.metadata["Name"].lower() for d in importlib.metadata.distributions()}
    others = names - {"splitgp", "numpy", "pip", "setuptools", "wheel"}
    check(not others, f"the environment has more than splitgp and numpy: {sorted(others)}")


def run_readme() -> None:
    """The README's Python, word for word."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    check(block is not None, "README.md has no Python block")
    names: dict[str, object] = {}
    exec(compile(block[1], "README.md", "exec"), names)
    import splitgp

    site = Path(sysconfig.get_path("platlib")).resolve()
    check(site in Path(splitgp.__file__).resolve().parents, f"splitgp is {splitgp.__file__}")
    print(f"README's Python block: ok ({splitgp.instruction_set()})")


def run_command(folder: Path) -> None:
    demo = command("demo", "--rows", "2000")
    check("2000" in demo.replace(",", ""), f"splitgp demo wrote:\n{demo}")
    rows = folder / "rows.csv"
    rows.write_text("a,b,y\n" + "".join(f"{i % 17},{i % 5},{i % 17 + i % 5}\n" for i in range(300)))
    model, page = folder / "m.splitgp", folder / "report.html"
    command("stream", str(rows), "--target", "y", "--model", str(model))
    command("report", "--model", str(model), "--output", str(page))
    # The charting library is about 1.4 MB of it.
    check(page.stat().st_size > 1_000_000, f"the report has {page.stat().st_size} bytes")
    print(f"splitgp demo, stream and report: ok; {command('--version').splitlines()[0]}")


def run_service(folder: Path) -> None:
    """The service learns, answers and shows its page, which is inside the command."""
    program = shutil.which("splitgp", path=ENVIRONMENT["PATH"])
    flags = ["--model", str(folder / "served.splitgp"), "--listen", "127.0.0.1:0"]
    server = subprocess.Popen(
        [str(program), "serve", *flags], env=ENVIRONMENT, stderr=subprocess.PIPE, text=True
    )
    try:
        line = server.stderr.readline() if server.stderr else ""
        address = re.search(r"http://\S+/", line)
        check(address is not None, f"splitgp serve wrote: {line}")
        learn = urllib.request.Request(
            f"{address[0]}v2/models/served/learn",
            b'{"x": [[0], [1]], "y": [1, 2]}',
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(learn, timeout=30) as answer:
            check(json.load(answer)["rows"] == 2, "the service did not learn")
        with urllib.request.urlopen(f"{address[0]}assets/plotly.js", timeout=30) as answer:
            check(len(gzip.decompress(answer.read())) > 1_000_000, "the page lacks its charts")
    finally:
        server.terminate()
        code = server.wait(timeout=60)
    check(code == 0, f"splitgp serve ended with {code}")
    print("splitgp serve: ok")


def linked(program: Path) -> dict[str, Path]:
    """What the dynamic linker loads with an ELF file: name and path."""
    # A machine may have several; this Python names the one it was started by.
    named = re.search(rb"/lib[^\0]*/ld-linux[^\0]*", Path(sys.executable).resolve().read_bytes())
    check(named is not None, f"{sys.executable} names no dynamic linker")
    loader = named[0].decode()
    text = subprocess.run([loader, "--list", program], capture_output=True, text=True).stdout
    pairs = re.findall(r"^\s*(\S+?)(?:-[0-9a-f]{8})?\.so\S*(?: => (\S+))?", text, re.MULTILINE)
    return {Path(name).name: Path(path) for name, path in pairs}


def check_libraries() -> None:
    """Every library is in the wheel, or one of those that every system has."""
    site = Path(sysconfig.get_path("platlib")).resolve()
    module = next((site / "splitgp").glob("_core*.so"))
    found: set[str] = set()
    for program in (module, site / "splitgp_command" / "splitgp"):
        for name, path in linked(program).items():
            if site in path.parents:
                found.add(name)
            else:
                known = any(name == s or name.startswith(s + "-") for s in SYSTEM)
                check(known, f"{program.name} takes {name} from {path}")
    check(found == SHIPPED, f"the wheel ships {sorted(found)}; expected {sorted(SHIPPED)}")
    files = {path.name for path in (site / "splitgp.libs").iterdir()}
    print(f"libraries in the wheel: {', '.join(sorted(files))}")


def check_licences() -> None:
    files = importlib.metadata.files("splitgp") or []
    shipped = {path.name for path in files if "licenses" in path.parts}
    expected = {path.name for path in (ROOT / "LICENSES").iterdir()} | {"LICENSE"}
    check(shipped == expected, f"licences that are missing: {sorted(expected - shipped)}")
    print(f"licences: {len(shipped)} files")


def main() -> None:
    check_environment()
    os.environ["PATH"] = ENVIRONMENT["PATH"]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run_readme()
        run_command(Path(folder))
        run_service(Path(folder))
        os.chdir(ROOT)
    if sys.platform == "linux":
        check_libraries()
    check_licences()


if __name__ == "__main__":
    main()
