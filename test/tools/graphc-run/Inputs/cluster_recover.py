# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kills servers of --spawn under two workers' clients that recover.
#
#   cluster_recover.py MODEL TASKS     a plan for ps:1,worker:2, say, with instances
#                                      of "train" for workers
import os
import re
import signal
import sys
import tempfile

import cluster_processes as processes
from cluster_spawn import servers_of


def job_of(pid):
    with open(f"/proc/{pid}/cmdline") as file:
        words = file.read().split("\0")
    return next(word[6:] for word in words if word.startswith("--job="))


def recover(model, tasks, folder, job):
    client = processes.Client(folder, job, [
        model, "--spawn=" + tasks, "--graph=train", "--steps=3000",
        "--print-every=100", "--recover=3", f"--checkpoint={folder}/{job}.c",
        "--checkpoint-every=500", "--stall=5"])
    client.wait_for_steps()
    victim = next(pid for pid in servers_of(client.process.pid)
                  if job_of(pid) == job)
    os.kill(victim, signal.SIGKILL)
    code, _ = client.wait(60)
    output, errors = client.output(), client.errors()
    assert code == 0, f"{job}: exit code {code}: {errors}"
    assert "goes on" in errors, errors
    if "worker 1: step 3000:" not in output:
        # A quorum of two may leave it over, but only when both others are done.
        assert re.search(r"worker 1: ended after step \d+ of 3000: .* 2 gradients make an "
                         "update .* the others are done", errors), output + errors
        for other in (0, 2):
            assert f"worker {other}: step 3000:" in output, output + errors
    print(f"{job}: all clients go on", flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="graphc-") as folder:
        for job in ("worker", "ps"):
            recover(sys.argv[1], sys.argv[2], folder, job)


main()
