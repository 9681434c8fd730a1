#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fits a line on a parameter server and two workers, first asynchronously, then in
# step; all processes are started and stopped here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
command -v graphc >/dev/null || PATH=$here/../../build/bin:$PATH
command -v graphc >/dev/null || {
  echo "run.sh: graphc is neither on the PATH nor in build/bin; run" \
    "scripts/demo first" >&2
  exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

graphc "$here/adagrad.tfir" --cluster="$here/cluster.json" --async \
  -o "$work/async.bin"
graphc-run "$work/async.bin" --spawn=ps:1,worker:2 --graph=train --steps=500 \
  --print-every=250

graphc "$here/adagrad.tfir" --cluster="$here/cluster.json" \
  --placement=ps-round-robin -o "$work/sync.bin"
graphc-run "$work/sync.bin" --spawn=ps:1,worker:2 --graph=train --steps=500 \
  --print-every=250
