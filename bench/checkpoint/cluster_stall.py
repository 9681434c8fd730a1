#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures by how much a checkpoint holds up the step after it on a cluster of one
server, which has all variables, and one worker on this machine.

  cluster_stall.py DIR [--rounds=N] [--steps=N] [--every=N]

Rounds alternate: the server shares the folder DIR of the training and writes it by
itself, or does not see it, so that the client reads the variables and writes them.
Prints the median step that follows none, that which follows a checkpoint, and the
difference. Needs the right to make mount namespaces."""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "test", "faults"))
from shards import Program, free_ports, hide  # noqa: E402


def run(model, folder, options, isolated):
    """Seconds of the steps that follow no checkpoint, and of those that do."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder + "/train")
    ports = free_ports(2)
    cluster = f"{folder}/cluster.json"
    with open(cluster, "w", encoding="ascii") as file:
        file.write(f'{{"ps": ["localhost:{ports[0]}"], '
                   f'"worker": ["localhost:{ports[1]}"]}}')
    servers = []
    for job in ("ps", "worker"):
        command = ["graphc-server", f"--cluster={cluster}", f"--job={job}",
                   "--task=0", "--threads=1"]
        if job == "ps" and isolated:
            command = [sys.executable, os.path.abspath(__file__), "--hide",
                       folder + "/train", *command]
        servers.append(Program(folder, job, command))
    with open(f"{folder}/errors", "w+", encoding="utf-8") as errors:
        with subprocess.Popen(
                ["stdbuf", "-oL", "graphc-run", "train", model, "--graph=train",
                 f"--cluster={cluster}", f"--train-dir={folder}/train",
                 f"--steps={options.steps}", f"--save-steps={options.every}",
                 "--keep=1", "--summary-every=1000000", "--print-every=1"],
                stdout=subprocess.PIPE, stderr=errors, text=True) as client:
            times = [(int(found[1]), time.monotonic()) for line in client.stdout
                     if (found := re.match(r"step (\d+):", line))]
        for server in servers:
            server.send(9)
            server.process.wait()
        errors.seek(0)
        told = errors.read()
    if client.returncode != 0:
        sys.exit(told)
    if ("note: tasks send" in told) != isolated:
        sys.exit(f"written by the wrong process: {told}")
    plain, after = [], []
    for (before, begin), (step, end) in zip(times, times[1:]):
        assert step == before + 1
        if before < options.every:
            continue  # warms up
        (after if before % options.every == 0 else plain).append(end - begin)
    return plain, after


def main():
    if len(sys.argv) > 3 and sys.argv[1] == "--hide":
        hide(sys.argv[2])
        os.execvp(sys.argv[3], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--every", type=int, default=8)
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    model = f"{options.folder}/wide.bin"
    with open(f"{options.folder}/any.json", "w", encoding="ascii") as file:
        file.write('{"ps": ["a:1"], "worker": ["b:1"]}')
    subprocess.run(["graphc", os.path.join(HERE, "wide.tfir"),
                    f"--cluster={options.folder}/any.json",
                    "--placement=ps-round-robin", "-o", model], check=True)
    for number in range(options.rounds):
        for isolated in (False, True):
            plain, after = run(model, f"{options.folder}/run", options, isolated)
            step, held = statistics.median(plain), statistics.median(after)
            print(f"round {number + 1}, "
                  f"{'the client' if isolated else 'the server'} writes: step "
                  f"{step * 1e3:.0f} ms, after a checkpoint {held * 1e3:.0f} ms: "
                  f"{(held - step) * 1e3:.0f} ms of stall", flush=True)


main()
