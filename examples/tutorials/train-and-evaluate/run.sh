#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A chief, a parameter server, a worker and an evaluator, each of which has its
# place by TF_CONFIG: the four processes of train_and_evaluate. The last line is
# the loss of the last evaluation.
#   run.sh [--steps=N]
set -euo pipefail

steps=300
case ${1:-} in
  '') ;;
  --steps=[1-9]*) steps=${1#*=} ;;
  *)
    echo "run.sh: unknown argument '$1'; there is --steps=N" >&2
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

cluster="{\"chief\": [\"unix:$work/chief\"], \"worker\": [\"unix:$work/worker\"],
  \"ps\": [\"unix:$work/ps\"]}"
# The environment of task $1, as TensorFlow has it.
config_of() {
  echo "{\"cluster\": $cluster, \"task\": {\"type\": \"$1\", \"index\": 0}}"
}

echo "$cluster" >"$work/cluster.json"
graphc "$here/line.tfir" --cluster="$work/cluster.json" --async \
  -o "$work/line.bin"
# The evaluator is outside of the cluster, with a plan for its own machine.
graphc "$here/line.tfir" -o "$work/evaluate.bin"

for task in chief worker ps; do
  TF_CONFIG=$(config_of $task) graphc-server >"$work/$task.log" 2>&1 &
  servers+=($!)
done

# TF_CONFIG says what a process is: the chief saves, the evaluator follows.
train() {
  TF_CONFIG=$(config_of "$1") graphc-run train --train-dir="$work/train" "${@:2}"
}
train evaluator "$work/evaluate.bin" --graph=evaluate --best=evaluate/loss:min \
  >"$work/evaluator.out" &
evaluator=$!
train worker "$work/line.bin" --graph=train --target="unix:$work/ps" \
  --steps="$steps" --quiet &
worker=$!
train chief "$work/line.bin" --graph=train --target="unix:$work/ps" \
  --steps="$steps" --save-steps=50 --print-every=100
wait $worker
wait $evaluator

graphc-ckpt show "$work/train/best" | head -n 2
tail -n 1 "$work/evaluator.out"
