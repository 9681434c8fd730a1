#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Trains from C++ on two servers, one of which is killed and started again.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
command -v train-line >/dev/null || PATH=$here/../../build/bin:$PATH
command -v train-line >/dev/null || {
  echo "run.sh: train-line is neither on the PATH nor in build/bin; build it" \
    "with: ninja -C build graphc graphc-server train-line" >&2
  exit 2
}
work=$(mktemp -d)
servers=()
stop() {
  [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap stop EXIT

cluster="{\"worker\": [\"unix:$work/worker-0\", \"unix:$work/worker-1\"]}"
start() {
  graphc-server --cluster="$cluster" --job=worker --task="$1" \
    >"$work/worker-$1.log" 2>&1 &
  servers[$1]=$!
}
start 0
start 1

graphc "$here/../regression-cluster/regression.tfir" --replicate=none \
  --cluster="$here/../regression-cluster/cluster.json" -o "$work/line.bin"
cd "$work"
mkfifo lines
stdbuf -oL train-line line.bin "$cluster" >lines &
client=$!
while read -r line; do
  echo "$line"
  if [ "$line" = "step 5000" ]; then
    kill -9 "${servers[0]}"
    wait "${servers[0]}" 2>/dev/null || true
    start 0
  fi
done <lines
wait "$client"
