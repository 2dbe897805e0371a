#!/usr/bin/env bash
# symbols.sh LIBRARY: it exports what splitgp_c.h declares, and nothing else.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
header=$here/../../include/splitgp/splitgp_c.h

# Every global symbol but the name of the version itself, which has type A.
exported=$(nm --dynamic --defined-only "$1" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
declared=$(grep -oE '^[a-z][A-Za-z0-9_ *]*[ *]splitgp_[a-z_]+\(' "$header" |
  grep -oE 'splitgp_[a-z_]+\($' | tr -d '(' | sort)
[[ $(wc -l <<<"$declared") -gt 10 ]] || { echo "no declarations found in $header" >&2; exit 1; }
diff <(echo "$declared") <(echo "$exported") || {
  echo "< declared but not exported, > exported but not declared" >&2
  exit 1
}
readelf --dynamic "$1" | grep -q 'SONAME.*\[libsplitgp_c\.so\.0\]' || {
  echo "the soname is not libsplitgp_c.so.0" >&2
  exit 1
}
