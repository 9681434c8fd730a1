#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Trains a digit classifier on two parameter servers and three workers, and
# measures it on digits that it has not seen. The last line is `accuracy: 0.xxxx`.
#   run.sh [--mode=sync|async|ring] [--steps=N] [--seed=N] [FOLDER]
# sync: one update per step, with the mean of the gradients; async: each worker
# updates by itself; ring: no parameter servers, the workers exchange gradients.
# FOLDER holds the four MNIST files in IDX form, plain or .gz; without it the
# digits are generated.
set -euo pipefail

fail() {
  echo "run.sh: $*" >&2
  exit 2
}

mode=sync
steps=300
folder=
options=()
for argument in "$@"; do
  case $argument in
    --mode=sync | --mode=async | --mode=ring) mode=${argument#*=} ;;
    --mode=*) fail "unknown mode '${argument#*=}'; there are sync, async and ring" ;;
    --steps=*) steps=${argument#*=} ;;
    --seed=*) options+=("$argument") ;;
    -h | --help)
      sed -n '3,9s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) fail "unknown option '$argument'; try --help" ;;
    *)
      [ -z "$folder" ] ||
        fail "two folders, '$folder' and '$argument'; name one"
      [ -d "$argument" ] || fail "'$argument' is no folder; name the one that" \
        "holds the MNIST files, or none"
      folder=$(cd "$argument" && pwd)
      ;;
  esac
done
[[ $steps =~ ^[1-9][0-9]*$ ]] ||
  fail "--steps is '$steps'; give a number from 1"

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd)
command -v graphc >/dev/null || PATH=$root/build/bin:$PATH
command -v graphc >/dev/null ||
  fail "graphc is neither on the PATH nor in build/bin; run scripts/demo first"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$folder" ]; then
  folder=$work/digits
  python3 "$root/scripts/make-digits" "$folder"
fi

# Prints the path of IDX file $1 in the folder, plain or packed.
find_idx() {
  local name
  for name in "$1" "$1.gz"; do
    [ -f "$folder/$name" ] && echo "$folder/$name" && return
  done
  fail "'$folder' lacks $1 (plain or .gz)"
}

images=$(find_idx t10k-images-idx3-ubyte)
labels=$(find_idx t10k-labels-idx1-ubyte)
if [ -f "$folder/train-images-idx3-ubyte" ] ||
  [ -f "$folder/train-images-idx3-ubyte.gz" ]; then
  train_images=$(find_idx train-images-idx3-ubyte)
  train=$train_images,$(find_idx train-labels-idx1-ubyte)
  test=$images,$labels
else
  train=$images,$labels@0:9000
  test=$images,$labels@9000:10000
fi

case $mode in
  sync) how=(--batch=300 --placement=ps-by-bytes) ;;
  async) how=(--batch=100 --async) ;;
  ring) how=(--batch=300 --variable-device=mirrored --reduce=ring) ;;
esac
model=$root/examples/mnist/mlp.tfir
graphc "$model" --cluster="$here/cluster.json" "${how[@]}" -o "$work/train.bin"
graphc-run "$work/train.bin" --spawn=ps:2,worker:3 --graph=train \
  --steps="$steps" --print-every=100 --data "mnist_train=$train" \
  --save="$work/weights.safetensors" "${options[@]}"

graphc "$model" --batch=100 -o "$work/eval.bin"
graphc-run "$work/eval.bin" --graph=eval --data "mnist_test=$test" \
  --load="$work/weights.safetensors" --fetch accuracy --mean --quiet \
  --json="$work/eval.json"
python3 - "$work/eval.json" <<'END'
import json, sys

with open(sys.argv[1]) as report:
    mean = json.load(report)["mean"]
print(f"accuracy: {mean['accuracy']:.4f}")
END
