#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A parameter server and two workers fit a line; what Supervisor does for them in
# TensorFlow 1.x, graphc-run train does here. First the chief is killed and begun
# again while the others stay, then a file STOP ends the training, then all
# processes are started anew and go on from the checkpoint.
#   run.sh [--save-secs=S]
set -euo pipefail

save_secs=600
case ${1:-} in
  '') ;;
  --save-secs=[0-9.]*) save_secs=${1#*=} ;;
  *)
    echo "run.sh: unknown argument '$1'; there is --save-secs=S" >&2
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
processes=()
stop() {
  [ ${#processes[@]} -eq 0 ] || kill "${processes[@]}" 2>/dev/null || true
  wait
  rm -rf "$work"
}
trap stop EXIT

cluster="{\"ps\": [\"unix:$work/ps\"],
  \"worker\": [\"unix:$work/worker-0\", \"unix:$work/worker-1\"]}"
echo "$cluster" >"$work/cluster.json"
graphc "$here/regression.tfir" --cluster="$work/cluster.json" --async \
  -o "$work/regression.bin"

start_servers() {
  processes=()
  for task in ps:0 worker:0 worker:1; do
    graphc-server --cluster="$work/cluster.json" --job=${task%:*} \
      --task=${task#*:} >>"$work/${task%:*}-${task#*:}.log" 2>&1 &
    processes+=($!)
  done
}
# The training program of worker $1. As with Supervisor, that of worker 0 is the
# chief's: it gives the first values or restores them, and saves. The others wait
# for it, and wait again when it restores (--recover).
train() {
  exec graphc-run train "$work/regression.bin" --graph=train \
    --target="unix:$work/ps" --worker="$1" --train-dir="$work/train" \
    --steps=1000000000 --save-secs="$save_secs" --recover=9 "${@:2}"
}
# Waits until some command succeeds, at most a minute.
await() {
  for _ in $(seq 600); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "run.sh: a minute passed, and not yet: $*" >&2
  exit 1
}
has_steps() { [ "$(grep -c '^step ' "$1")" -ge 2 ]; }

echo "1. a chief is killed, and another one goes on:"
start_servers
(train 1 --print-every=1000) >"$work/worker.out" 2>&1 &
worker=$!
(train 0 --print-every=1000) >"$work/chief.out" 2>&1 &
chief=$!
await has_steps "$work/chief.out"
await has_steps "$work/worker.out"
kill -KILL $chief
wait $chief 2>/dev/null || true

echo "2. a file STOP ends the training of all workers:"
(train 0 --print-every=1000) >"$work/again.out" 2>&1 &
chief=$!
await has_steps "$work/again.out"
grep -h -m1 "goes on from" "$work/again.out"
touch "$work/train/STOP"
wait $chief
wait $worker
grep -h "the training ends" "$work/again.out" "$work/worker.out"

echo "3. servers and clients are started anew:"
kill "${processes[@]}"
wait
rm "$work/train/STOP"
start_servers
(train 1 --max-secs=2 --quiet) &
worker=$!
(train 0 --max-secs=2) >"$work/anew.out" 2>&1
wait $worker
grep -h -m1 "goes on from" "$work/anew.out"
grep -h '^step ' "$work/anew.out" | tail -n 1
graphc-ckpt list "$work/train" | tail -n 1
