#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two servers that know each other and no program; a client brings one.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
command -v graphc >/dev/null || PATH=$here/../../../build/bin:$PATH
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
echo "$cluster" >"$work/cluster.json"
for task in 0 1; do
  graphc-server --cluster="$work/cluster.json" --job=worker --task=$task \
    >"$work/worker-$task.log" 2>&1 &
  servers+=($!)
done

graphc "$here/hello.tfir" --cluster="$work/cluster.json" -o "$work/hello.bin"
graphc-run "$work/hello.bin" --graph=hello --target="unix:$work/worker-0"
graphc-run "$work/hello.bin" --graph=sum --target="unix:$work/worker-1" \
  --stop-cluster
