#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds floor-mlp and floor-lenet5.
#   bench/floor/build.sh [FOLDER]   FOLDER takes the programs; default build/bin
# g++ and not the project's clang: Debian's oneDNN runs on GCC's OpenMP, and a
# second OpenMP runtime in the process would bring a second pool of threads.
set -euo pipefail

folder=${1:-}
[ -z "$folder" ] || { mkdir -p "$folder" && folder=$(realpath "$folder"); }
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${folder:-build/bin}
mkdir -p "$folder"

[ -f /usr/include/oneapi/dnnl/dnnl.hpp ] || {
  echo "build.sh: oneDNN is missing; install libdnnl-dev" >&2
  exit 1
}
for program in mlp lenet5; do
  g++ -std=c++20 -O3 -march=native -fopenmp -Wall -Wextra -I. \
    bench/floor/{Step,Benchmark,$program}.cpp -ldnnl -o "$folder/floor-$program"
done
