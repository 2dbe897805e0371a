#!/usr/bin/env bash
# Makes report.png and report_map.png, the pictures of `splitgp report`: docs/pictures/report.sh
# Needs the packages that ./test installs, a build by ./test release, and the data set gas_turbine (docs/data.md).
set -euo pipefail
pictures=$(cd "$(dirname "$0")" && pwd)
root=$pictures/../..
build=${SPLITGP_BUILD:-$root/build/release}
data=${SPLITGP_DATA:-$root/../shared/data}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --build "$build" --target splitgp_cli report_picture >"$folder/build.log" || { cat "$folder/build.log"; exit 1; }
"$build/splitgp" stream "$data/gas_turbine.csv.gz" --target NOX --ignore CO,year --limit 12000 \
  --model "$folder/gas_turbine.splitgp" --durability normal
"$build/splitgp" report --model "$folder/gas_turbine.splitgp" -o "$folder/report.html"
"$build/tests/report_picture" "$folder/report.html" "$pictures/report.png"
"$build/tests/report_picture" "$folder/report.html" "$pictures/report_map.png" '#partition'
