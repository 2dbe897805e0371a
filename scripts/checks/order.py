"""The order of the rooms: which of them each may include or import.

A folder of C++ files is a room, and so is each module of a Python package. A new one gets its place
here.
"""

from __future__ import annotations

# src/core, from the bottom to the top: each may include the rooms to its left.
CORE = (
    "base",
    "linalg",
    "kernel",
    "options",
    "local_gp",
    "partition",
    "experts",
    "watch",
    "predict",
    "train",
    "model",
    "api",
)

# The public headers include nothing of ours, and everything may include them.
PUBLIC = "include/splitgp"

# What stands above the core; "core" means all its rooms.
ABOVE_CORE: dict[str, set[str]] = {
    "src/rivals": {"core"},
    "src/store": {"core"},
    "src/scale": {"core", "src/store"},
    "src/c": {"src/core/options"},
    "src/io": set(),
    "src/table": {"src/io"},
    "src/charts": {"core", "src/io", "src/table"},
    "src/serve/http": set(),  # connections and messages, which know nothing of models
    "src/serve": {"core", "src/store", "src/io", "src/table", "src/charts", "src/serve/http"},
    "src/cli": {"core", "src/store", "src/io", "src/table", "src/charts", "src/serve"},
    "python/src": {"src/core/options", "src/rivals", "src/table"},
    "examples": set(),  # what users see
}

# The modules of each package, from the bottom to the top: each may import those of the lines above
# its own. The package itself, __init__.py, is the top.
PACKAGES: dict[str, tuple[set[str], ...]] = {
    "splitgp": (
        {"_core"},
        {"_arrays", "_casadi_source", "_errors", "_keywords", "_results", "_tables", "datasets"},
        {"_facts", "_features", "_options"},
        {"_contents", "_signature", "_table_wishes"},
        {"_saving"},
        {"_splitting_gp"},
        {"_table_model"},
        {"casadi", "plot", "ray", "rivals", "river", "sklearn"},
    ),
    # Its folders; all of them may import splitgp.
    "experiments": (
        {"benchmarks", "scale", "shared"},
        {"beyond", "figure1", "kin40k", "powergen", "published", "synthetic"},
        {"cost", "coverage", "stages", "theory"},
        {"drift", "tables"},
        {"overviews"},
        {"__main__"},
        {"tests"},
    ),
}

# Other Python programs, and the packages whose modules they may import.
BESIDE: dict[str, set[str]] = {
    "splitgp_command": set(),
    "python/write_options.py": {"splitgp"},
    "python/tests": {"splitgp", "splitgp_command", "experiments"},
    "examples": {"splitgp"},
}


def of_cxx() -> dict[str, set[str]]:
    """Each room of C++ files, and the rooms that it may include."""
    core = [f"src/core/{name}" for name in CORE]
    order: dict[str, set[str]] = {PUBLIC: set()}
    order |= {room: {PUBLIC, *core[:i]} for i, room in enumerate(core)}
    for room, below in ABOVE_CORE.items():
        order[room] = {PUBLIC, *(core if "core" in below else []), *(below - {"core"})}
    return order


def of_python() -> dict[str, set[str]]:
    """Each room of Python files, and the rooms that it may import."""
    order: dict[str, set[str]] = {}
    everything: dict[str, set[str]] = {}
    for package, layers in PACKAGES.items():
        # experiments stands on splitgp.
        below = set() if package == "splitgp" else everything["splitgp"]
        for layer in layers:
            rooms = {f"{package}.{name}" for name in layer}
            order |= dict.fromkeys(rooms, below)
            below = below | rooms
        order[package] = below
        everything[package] = below | {package}
    for room, packages in BESIDE.items():
        order[room] = {one for package in packages for one in everything.get(package, {package})}
    return order
