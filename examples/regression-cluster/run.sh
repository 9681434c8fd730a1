#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Starts the servers of two workers, fits a line with a separate client, looks at
# the variables, which the servers keep, with a second one, and stops all.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
command -v graphc >/dev/null || PATH=$here/../../build/bin:$PATH
command -v graphc >/dev/null || {
  echo "run.sh: graphc is neither on the PATH nor in build/bin; run" \
    "scripts/demo first" >&2
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
for task in 0 1; do
  graphc-server --cluster="$cluster" --job=worker --task=$task \
    >"$work/worker-$task.log" 2>&1 &
  servers+=($!)
done

graphc "$here/regression.tfir" --cluster="$here/cluster.json" \
  --replicate=none -o "$work/regression.bin"
graphc-run "$work/regression.bin" --target="unix:$work/worker-0" \
  --graph=train --steps=100 --print-every=25
graphc-run "$work/regression.bin" --target="unix:$work/worker-1" \
  --graph=variables --stop-cluster
