#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds the programs of other libraries that bench/allreduce compares with, into
# the folder given. Needs libgloo-dev and libopenmpi-dev.
set -euo pipefail
out=${1:?usage: build.sh FOLDER}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
g++ -std=c++17 -O2 "$here/gloo_allreduce.cpp" -o "$out/gloo-allreduce" \
  -lgloo -lpthread
mpicxx -std=c++17 -O2 "$here/mpi_allreduce.cpp" -o "$out/mpi-allreduce"
