#!/usr/bin/env bash
# abi.sh LIBRARY [--store]: programs compiled against the stored description of the C interface
# still work with this library. Functions may be added; --store then describes them too. Whoever
# changes or removes one has to change the soname.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
include=$here/../../include/splitgp
stored=$here/splitgp_c.abi
described=$(mktemp)
trap 'rm -f "$described"' EXIT

# Only what the header shows; the rest of the library may change as it likes.
abidw --headers-dir "$include" --drop-private-types --no-show-locs --no-corpus-path \
  --no-comp-dir-path --exported-interfaces-only --no-elf-needed --out-file "$described" "$1"
if [[ ${2:-} == --store ]]; then
  cp "$described" "$stored"
  exit
fi
abidiff --no-added-syms "$stored" "$described"
