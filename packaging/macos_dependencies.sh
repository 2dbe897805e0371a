#!/bin/sh
# What cibuildwheel installs on macOS before it builds. Eigen 5 is not asked for: the library is
# developed with 3.4.
set -eu
brew install llvm eigen@3 sqlite cli11 fmt simdjson nlohmann-json xz zstd boost openssl@3 node
