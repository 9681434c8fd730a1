# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Harms a server of --spawn while the client that recovers opens the cluster.
#
#   cluster_opening.py MODEL
#   cluster_opening.py SLOW POINTS     kills a worker in the first of its slow steps
import os
import signal
import sys
import tempfile
import time

import cluster_processes as processes
from cluster_spawn import servers_of


def harm(model, folder, number):
    name = signal.Signals(number).name
    client = processes.Client(folder, name, [
        model, "--spawn=ps:1,worker:2", "--graph=train", "--steps=20",
        "--print-every=10", "--recover=3", f"--checkpoint={folder}/{name}.c",
        "--deadline=3"])
    end = time.monotonic() + 20
    while not servers_of(client.process.pid) and time.monotonic() < end:
        time.sleep(0.001)
    os.kill(servers_of(client.process.pid)[0], number)
    code, _ = client.wait(60)
    assert code == 0, f"{name}: exit code {code}: {client.errors()}"
    assert "step 20:" in client.output(), client.output()
    again = "opens the cluster again" in client.errors()
    assert again or number == signal.SIGKILL, client.errors()
    print(f"{name}: the run is done", flush=True)


def harm_first_step(model, points, folder):
    checkpoint = f"{folder}/checkpoint"
    client = processes.Client(folder, "slow", [
        model, "--spawn=ps:1,worker:2", "--graph=train", "--steps=2",
        "--print-every=1", "--recover=3", f"--checkpoint={checkpoint}",
        f"--data=points={points}"])
    end = time.monotonic() + 20
    while not os.path.exists(checkpoint) and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(0.3)
    worker = [pid for pid in servers_of(client.process.pid)
              if "--job=worker" in open(f"/proc/{pid}/cmdline").read()][0]
    os.kill(worker, signal.SIGKILL)
    code, _ = client.wait(60)
    assert code == 0, f"exit code {code}: {client.errors()}"
    assert "after step 0" in client.errors(), client.errors()
    assert "step 2:" in client.output(), client.output()
    print("the worker has its data again", flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="graphc-") as folder:
        if len(sys.argv) > 2:
            return harm_first_step(sys.argv[1], sys.argv[2], folder)
        for number in (signal.SIGSTOP, signal.SIGKILL):
            harm(sys.argv[1], folder, number)


main()
