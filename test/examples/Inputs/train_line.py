# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs examples/cpp-training twice: undisturbed, and with a server and a client
that are killed. Both must end with the same variables."""
import os
import signal
import subprocess
import sys
import tempfile

plan, inputs = sys.argv[1:]
sys.path.insert(0, inputs)
import cluster_processes

STEPS = 20000


class Client:
    """train-line, whose lines are read one by one."""

    def __init__(self, cluster, folder):
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", "train-line", plan, cluster.direct()], cwd=folder,
            stdout=subprocess.PIPE, text=True,
            preexec_fn=cluster_processes.die_with_parent)

    def until(self, text):
        for line in self.process.stdout:
            if text in line:
                return line.strip()
        raise AssertionError(f"no line with '{text}'")

    def end(self):
        lines = self.process.stdout.read()
        assert self.process.wait() == 0, self.process.returncode
        return lines


def variables(cluster):
    run = subprocess.run(
        ["graphc-run", plan, "--cluster=" + cluster.direct(),
         "--graph=variables"], capture_output=True, text=True, check=True)
    return run.stdout


def run(folder, disturb):
    jobs = {"worker": 2}
    with cluster_processes.Cluster(folder, jobs) as cluster:
        disturb(cluster, folder)
        return variables(cluster)


def undisturbed(cluster, folder):
    client = Client(cluster, folder)
    assert f"step {STEPS}" in client.end()


def lose(cluster, folder):
    client = Client(cluster, folder)
    client.until("step 2000")
    cluster.send(("worker", 0), signal.SIGKILL)
    cluster.processes["worker", 0].wait()
    cluster.start(("worker", 0))
    print("server:", client.until("goes on from 'line.safetensors', after step"))
    client.until("step 5000")
    client.process.kill()
    client.process.wait()
    client = Client(cluster, folder)
    print("client:", client.until("of its steps done"))
    assert f"step {STEPS}" in client.end()


results = []
for disturb in undisturbed, lose:
    with tempfile.TemporaryDirectory() as folder:
        results.append(run(folder, disturb))
assert results[0] == results[1], results
assert "slope = " in results[0], results
print("the same variables:", results[0].strip())
