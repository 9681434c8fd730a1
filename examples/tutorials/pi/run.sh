#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pi by random points on four GPUs, which the CPU plays unless --gpus=real, and on
# two tasks with a client of their own. Each line `pi on ...` is one estimate.
#   run.sh [--gpus=virtual|real|shared]
set -euo pipefail

how=(--virtual-gpus)
case ${1:-} in
  '' | --gpus=virtual) ;;
  --gpus=real) how=(--log-devices) ;;
  --gpus=shared) how=(--gpus-share) ;;
  *)
    echo "run.sh: unknown argument '$1'; there is --gpus=virtual|real|shared" >&2
    exit 2
    ;;
esac

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

# 1. Four devices: where each op is, and the estimate.
graphc "$here/devices.tfir" --devices=gpu:0-3 --log-device-placement \
  -o "$work/devices.bin" >"$work/placement" 2>&1
grep -E '^(x_.\/Ph|share|pi)' "$work/placement"
graphc-run "$work/devices.bin" "${how[@]}" --profile="$work/trace.json" \
  --profile-steps=1:1 |
  sed 's/^step 1: pi =/pi on four devices =/'
# Each device has done its quarter: a track of the trace each.
python3 - "$work/trace.json" <<'PY'
import collections, json, sys
with open(sys.argv[1], encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
tracks = {e["tid"]: e["args"]["name"] for e in events
          if e["ph"] == "M" and e["name"] == "thread_name"}
slices = collections.Counter(tracks[e["tid"]].split(":", 4)[-1] for e in events
                             if e["ph"] == "X" and e["tid"] in tracks)
for device in sorted(slices):
    print("in the trace:", device)
PY

# 2. Two tasks, and a client that is neither of them.
cluster="{\"worker\": [\"unix:$work/worker-0\", \"unix:$work/worker-1\"]}"
echo "$cluster" >"$work/cluster.json"
for task in 0 1; do
  graphc-server --cluster="$work/cluster.json" --job=worker --task=$task \
    >"$work/worker-$task.log" 2>&1 &
  servers+=($!)
done
graphc "$here/tasks.tfir" --cluster="$work/cluster.json" --replicate=none \
  -o "$work/tasks.bin"
graphc-run "$work/tasks.bin" --target="unix:$work/worker-1" --stop-cluster |
  sed 's/^step 1: pi =/pi on two tasks =/'
