# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# profile_servers.py MODEL: traces of servers whose clocks differ by minutes (to
# clocks.json), and of a run that loses a task.
import json
import signal
import sys
import tempfile

import cluster_processes as processes

OFFSETS = {("ps", 0): 90_000, ("worker", 0): -600_000, ("worker", 1): 0}
LOST = ("worker", 1)


def name_of(task):
    return f"/job:{task[0]}/task:{task[1]}"


class SkewedCluster(processes.Cluster):
    """Each server's clock has an error of its own."""

    def start(self, task):
        common = self.flags
        self.flags = [*common, f"--test-clock-offset-ms={OFFSETS[task]}"]
        super().start(task)
        self.flags = common


def begin(cluster, folder, name, model, *flags):
    return processes.Client(folder, name, [
        model, f"--target={cluster.target(('worker', 0))}", "--graph=train",
        *flags])


def load(path):
    with open(path) as file:
        return json.load(file)


def show_clocks(cluster, folder, model):
    client = begin(cluster, folder, "clocks", model, "--steps=20",
                   "--profile=clocks.json")
    code, _ = client.wait(60)
    assert code == 0, client.errors()
    notes = load("clocks.json")["otherData"]
    texts = []
    for task, offset in sorted(OFFSETS.items()):
        note = notes[name_of(task)]
        seconds = round(note["clock_offset_us"] * -1e-6)
        wrong = abs(note["clock_offset_us"] + offset * 1e3)
        # All are on one machine, so the true offset is known.
        assert wrong <= note["clock_error_us"], (task, note)
        texts.append(f"{name_of(task)} {seconds} s")
    print("clocks: " + ", ".join(texts))


def lose(cluster, folder, model):
    client = begin(cluster, folder, "lost", model, "--steps=1000000000",
                   "--print-every=50", "--profile=lost.json", "--profile-steps=2:5")
    client.wait_for_steps()
    cluster.send(LOST, signal.SIGKILL)
    code, _ = client.wait(30)
    trace = load("lost.json")
    processes_of = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"]
                    if e["name"] == "process_name"}
    known = sorted({processes_of[e["pid"]] for e in trace["traceEvents"]
                    if e["ph"] == "X"})
    print(f"lost: exit code {code}, the trace has " + " ".join(known))
    print("\n".join(line for line in client.errors().splitlines()
                    if "not all is in the trace" in line))


def main(model):
    with tempfile.TemporaryDirectory() as folder:
        with SkewedCluster(folder, {"ps": 1, "worker": 2}) as cluster:
            show_clocks(cluster, folder, model)
            lose(cluster, folder, model)


main(sys.argv[1])
