#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LeNet-5 on four GPUs from TFRecord files, with checkpoints, evaluations and
# summaries; begun again, it goes on. The last line is `accuracy: 0.xxxx`.
#   run.sh [--steps=N] [--gpus=virtual|real|shared] [--train-dir=DIR] [FOLDER]
# FOLDER holds the four MNIST files in IDX form, packed by gzip; without it the
# digits are generated. Without --train-dir everything is removed at the end.
set -euo pipefail

fail() {
  echo "run.sh: $*" >&2
  exit 2
}

steps=1000
gpus=virtual
train_dir=
folder=
for argument in "$@"; do
  case $argument in
    --steps=*) steps=${argument#*=} ;;
    --gpus=virtual | --gpus=real | --gpus=shared) gpus=${argument#*=} ;;
    --train-dir=?*) train_dir=${argument#*=} ;;
    -h | --help)
      sed -n '3,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
      exit 0
      ;;
    -*) fail "unknown option '$argument'; try --help" ;;
    *)
      [ -d "$argument" ] || fail "'$argument' is no folder; name the one that" \
        "holds the MNIST files, or none"
      folder=$argument
      ;;
  esac
done
[[ $steps =~ ^[1-9][0-9]*$ ]] ||
  fail "--steps is '$steps'; give a number from 1"
case $gpus in
  virtual) how=(--virtual-gpus) ;;
  real) how=(--log-devices) ;;
  shared) how=(--gpus-share) ;;
esac

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../../.." && pwd)
command -v graphc >/dev/null || PATH=$root/build/bin:$PATH
command -v graphc >/dev/null ||
  fail "graphc is neither on the PATH nor in build/bin; run scripts/demo first"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
: "${train_dir:=$work/train}"
if [ -z "$folder" ]; then
  folder=$work/digits
  python3 "$root/scripts/make-digits" "$folder"
fi

# 1. Records: eight files of examples, as an input pipeline would find them.
fields='image: u8[28, 28, 1], label: u8'
for set in train t10k; do
  graphc-data convert \
    "$folder/$set-images-idx3-ubyte.gz,$folder/$set-labels-idx1-ubyte.gz" \
    --fields="$fields" --out="$work/$set.tfrecord" --shards=4
done
graphc-data check "$work/train.tfrecord-*" --fields="$fields"

# 2. Four towers, each with a quarter of the batch.
graphc "$here/lenet5.tfir" --batch=100 --devices=gpu:0-3 \
  -o "$work/lenet5.bin"

# 3. Train: a checkpoint each 100 steps, an evaluation with the averages between
# them, the best checkpoint kept, events for TensorBoard.
graphc-run train "$work/lenet5.bin" --graph=train --train-dir="$train_dir" \
  --steps="$steps" --save-steps=100 --print-every=50 "${how[@]}" \
  --data "mnist_train=$work/train.tfrecord-*" \
  --data "mnist_test=$work/t10k.tfrecord-*" \
  --eval-graph=eval --eval-every=100 --best=eval/accuracy:max --keep-best=1 \
  --summary-every=50 --summary-variables --hparam learning_rate=0.1

graphc-ckpt list "$train_dir" --best=eval/accuracy:max
tail -n 1 "$train_dir/evaluations.jsonl" | python3 -c '
import json, sys
print("accuracy: %.4f" % json.load(sys.stdin)["eval/accuracy"])'
