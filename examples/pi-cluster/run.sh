#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Estimates pi on four workers, which this starts and stops.
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

graphc "$here/pi.tfir" --cluster="$here/cluster.json" --replicate=towers \
  -o "$work/pi.bin"
graphc-run "$work/pi.bin" --spawn=worker:4 --steps=4 --mean
