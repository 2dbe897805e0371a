#!/usr/bin/env bash
# Makes live.png and live_what_if.png, pictures of the live page of `splitgp serve`: docs/pictures/live.sh
# Needs the packages that ./test installs, a build by ./test release, and the data set gas_turbine (docs/data.md).
set -euo pipefail
pictures=$(cd "$(dirname "$0")" && pwd)
root=$pictures/../..
build=${SPLITGP_BUILD:-$root/build/release}
data=${SPLITGP_DATA:-$root/../shared/data}
address=127.0.0.1:${SPLITGP_PORT:-8765}

folder=$(mktemp -d)
server=
trap 'kill $server 2>/dev/null; rm -rf "$folder"' EXIT
cmake --build "$build" --target splitgp_cli report_picture >"$folder/build.log" || { cat "$folder/build.log"; exit 1; }
"$build/splitgp" serve --model "$folder/gas_turbine.splitgp" --target NOX --ignore CO,year --durability normal \
  --listen "$address" 2>"$folder/server.log" &
server=$!

# Hours of the turbine as a sensor would send them, a dozen at a time.
zcat "$data/gas_turbine.csv.gz" | awk 'NR <= 4001' >"$folder/rows.csv"
head -n 1 "$folder/rows.csv" >"$folder/head.csv"
tail -n +2 "$folder/rows.csv" | split -l 12 - "$folder/part."
until curl -sf "http://$address/v2/health/live" >"$folder/live.log"; do sleep 0.1; done
for part in "$folder"/part.*; do
  cat "$folder/head.csv" "$part" |
    curl -sf "http://$address/v2/models/gas_turbine/rows" -H 'Content-Type: text/csv' --data-binary @- >"$folder/answer.json"
  sleep 0.2
done &
feeder=$!
sleep 60
"$build/tests/report_picture" "http://$address/" "$pictures/live.png"
"$build/tests/report_picture" "http://$address/" "$pictures/live_what_if.png" '#what-if'
kill $feeder 2>/dev/null || true
