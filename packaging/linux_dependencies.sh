#!/bin/sh
# What cibuildwheel installs into its manylinux_2_34 image (AlmaLinux 9 with CRB and EPEL) before it builds.
set -eu

dnf -y install eigen3-devel cli11-devel fmt-devel simdjson-devel json-devel zlib-devel xz-devel \
  libzstd-devel boost-devel openssl-devel npm

# SQLite is older there than the 3.40 that CMakeLists.txt asks for.
cd "$(mktemp -d)"
curl -fsSL -o archive https://www.sqlite.org/2024/sqlite-autoconf-3450100.tar.gz
echo "cd9c27841b7a5932c9897651e20b86c701dd740556989b01ca596fcfa3d49a0a  archive" | sha256sum -c
tar -xf archive --strip-components=1
./configure --disable-static
make -j"$(nproc)" install
ldconfig
