"""package.xml is what ROS's tools accept, and says the same as the build."""

from __future__ import annotations

import re
from pathlib import Path

from catkin_pkg.package import parse_package

ROOT = Path(__file__).resolve().parents[2]


def test_package_xml():
    warnings: list[str] = []
    package = parse_package(str(ROOT / "package.xml"), warnings=warnings)
    package.validate(warnings=warnings)
    assert warnings == []
    cmake = (ROOT / "CMakeLists.txt").read_text()
    assert f"VERSION {package.version} " in cmake
    assert package.get_build_type() == "cmake"
    assert {dependency.name for dependency in package.build_depends} == {"eigen", "libsqlite3-dev"}
    # As many as the library looks for; threads come with the compiler.
    found = re.findall(r"^find_package\((\w+)", cmake, re.MULTILINE)
    assert found == ["Eigen3", "Threads", "SQLite3"]
