#!/bin/sh
# What cibuildwheel installs into its manylinux_2_34 image (AlmaLinux 9 with CRB and EPEL) before it builds.
set -eu

dnf -y install eigen3-devel cli11-devel fmt-devel simdjson-devel json-devel zlib-devel xz-devel \
  libzstd-devel npm

# NLopt is not packaged there, and SQLite is older than the 3.40 that CMakeLists.txt asks for.
# from_source URL SHA256: leaves the unpacked archive in ./source.
from_source() {
  cd "$(mktemp -d)"
  curl -fsSL -o archive "$1"
  echo "$2  archive" | sha256sum -c
  mkdir source
  tar -xf archive -C source --strip-components=1
}

from_source https://github.com/stevengj/nlopt/archive/refs/tags/v2.7.1.tar.gz \
  db88232fa5cef0ff6e39943fc63ab6074208831dc0031cf1545f6ecd31ae2a1a
cmake -S source -B build -DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 \
  -DNLOPT_PYTHON=OFF -DNLOPT_OCTAVE=OFF -DNLOPT_MATLAB=OFF -DNLOPT_GUILE=OFF -DNLOPT_SWIG=OFF
cmake --build build --parallel
cmake --install build

from_source https://www.sqlite.org/2024/sqlite-autoconf-3450100.tar.gz \
  cd9c27841b7a5932c9897651e20b86c701dd740556989b01ca596fcfa3d49a0a
cd source
./configure --disable-static
make -j"$(nproc)" install
ldconfig
