#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles a digit classifier, trains it, and measures it on digits that it has
# not seen. The last line is `accuracy: 0.xxxx`.
#   run.sh [--model=mlp|lenet5|lenet5-ema] [--devices=LIST] [--steps=N]
#          [--gpus=virtual|real|shared] [--threads=N] [--seed=N]
#          [--only-check] [FOLDER]
# With several devices (--devices=gpu:0-3) training is divided among towers. GPUs
# are virtual ones, which the CPU plays, unless --gpus says that they are real, or
# that the devices share those that there are.
# FOLDER holds the MNIST files in IDX form, plain or .gz. With the usual four
# files, train-* trains and t10k-* tests; with t10k-* alone, its first 9,000
# rows train and the rest tests. Without FOLDER the digits are generated.
# --only-check looks at the arguments and at FOLDER, and runs nothing.
set -euo pipefail

fail() {
  echo "run.sh: $*" >&2
  exit 2
}

model=mlp
steps=1000
folder=
devices=cpu:0
gpus=virtual
options=()
is_check=
for argument in "$@"; do
  case $argument in
    --model=mlp | --model=lenet5 | --model=lenet5-ema) model=${argument#*=} ;;
    --model=*)
      fail "unknown model '${argument#*=}'; there are mlp, lenet5 and" \
        "lenet5-ema"
      ;;
    --devices=?*) devices=${argument#*=} ;;
    --gpus=virtual | --gpus=real | --gpus=shared) gpus=${argument#*=} ;;
    --gpus=*)
      fail "unknown GPUs '${argument#*=}'; they are virtual, real or shared"
      ;;
    --steps=*) steps=${argument#*=} ;;
    --only-check) is_check=1 ;;
    --threads=* | --seed=*) options+=("$argument") ;;
    -h | --help)
      sed -n '3,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) fail "unknown option '$argument'; try --help" ;;
    *)
      [ -z "$folder" ] ||
        fail "two folders, '$folder' and '$argument'; name one"
      [ -d "$argument" ] || fail "'$argument' is no folder; name the one that" \
        "holds the MNIST files, or none"
      folder=$argument
      ;;
  esac
done
[[ $steps =~ ^[1-9][0-9]*$ ]] ||
  fail "--steps is '$steps'; give a number from 1"
if [ "$devices" != cpu:0 ]; then
  case $gpus in
    virtual) options+=(--virtual-gpus) ;;
    real) options+=(--log-devices) ;;
    shared) options+=(--gpus-share --log-devices) ;;
  esac
fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd)
# Prints the path of IDX file $1 in the folder, plain or packed; fails without.
find_idx() {
  local name
  for name in "$1" "$1.gz"; do
    [ -f "$folder/$name" ] && echo "$folder/$name" && return
  done
  return 1
}

# Prints `IMAGES,LABELS` of set $1 (train or t10k); fails when one is missing.
find_set() {
  local images labels
  images=$(find_idx "$1-images-idx3-ubyte") &&
    labels=$(find_idx "$1-labels-idx1-ubyte") && echo "$images,$labels"
}

check_folder() {
  find_set t10k >/dev/null ||
    fail "'$folder' lacks t10k-images-idx3-ubyte or t10k-labels-idx1-ubyte" \
      "(plain or .gz)"
}

[ -z "$folder" ] || check_folder
[ -z "$is_check" ] || exit 0
command -v graphc >/dev/null || PATH=$root/build/bin:$PATH
command -v graphc >/dev/null ||
  fail "graphc is neither on the PATH nor in build/bin; run scripts/demo first"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "$folder" ]; then
  folder=$work/digits
  python3 "$root/scripts/make-digits" "$folder"
  check_folder
fi
test_set=$(find_set t10k)
if train_set=$(find_set train); then
  train_data=mnist_train=$train_set
  test_data=mnist_test=$test_set
else
  train_data=mnist_train=$test_set@0:9000
  test_data=mnist_test=$test_set@9000:10000
fi

graphc "$here/$model.tfir" --batch=100 --devices="$devices" \
  -o "$work/model.bin"
graphc-run "$work/model.bin" --graph=train --steps="$steps" --print-every=100 \
  --data "$train_data" --save="$work/weights.safetensors" "${options[@]}"
graphc-run "$work/model.bin" --graph=eval --data "$test_data" \
  --load="$work/weights.safetensors" --fetch accuracy --mean --quiet \
  --json="$work/eval.json" "${options[@]}"
python3 - "$work/eval.json" <<'END'
import json, sys

with open(sys.argv[1]) as report:
    mean = json.load(report)["mean"]
print(f"accuracy: {mean['accuracy']:.4f}")
END
