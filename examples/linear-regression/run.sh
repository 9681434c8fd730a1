#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds slope and intercept of y = 2 x + 10 from points that each step draws itself,
# predicts with them, and fits y = 2 x + 0.2 to points that come from the caller.
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

graphc "$here/linear.tfir" -o "$work/linear.bin"
graphc-run "$work/linear.bin" --graph=train --steps=100 --print-every=25 \
  --save="$work/weights.safetensors"
graphc-run "$work/linear.bin" --graph=predict --feed x=-1,0,1 \
  --load="$work/weights.safetensors"

graphc "$here/adagrad.tfir" --batch=4 -o "$work/adagrad.bin"
graphc-run "$work/adagrad.bin" --graph=train --steps=1000 --print-every=250 \
  --feed x=1,2,3,4 --feed y=2.2,4.2,6.2,8.2
