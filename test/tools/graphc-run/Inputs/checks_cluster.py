# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which task prints a line, and which client is told of a check that fails.

    checks_cluster.py SCENARIO MODEL WORKERS     a plan for one ps and so many workers
"""
import collections
import sys
import tempfile

import cluster_processes as processes


class Logs:
    """What the programs have printed on each task since the last look."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.seen = dict.fromkeys(cluster.tasks, 0)

    def show(self, what, counts=()):
        """Of a task in `counts` it is not known how often it prints a line."""
        for task in self.cluster.tasks:
            log = self.cluster.log(task)
            new, self.seen[task] = log[self.seen[task]:], len(log)
            lines = collections.Counter(line for line in new.splitlines()
                                        if line.startswith(("h: ", "of ")))
            text = ", ".join(f"{counts[task] if task in counts else count} x '{line}'"
                             for line, count in sorted(lines.items()))
            print(f"{what}: {task[0]} {task[1]} prints {text or 'nothing'}", flush=True)


def begin(cluster, name, graph, values, *flags):
    return processes.Client(cluster.folder, name, [
        sys.argv[2], f"--target={cluster.target(('ps', 0))}", f"--graph={graph}",
        f"--feed=x={values}", *flags])


def rows(*values):
    """A row of four equal numbers for each value."""
    return ",".join(",".join([str(value)] * 4) for value in values)


def end(what, client):
    code, _ = client.wait(30)
    errors = [line for line in client.errors().splitlines() if "error:" in line]
    # What the program prints is not the client's.
    assert not any(line.startswith(("h: ", "of ")) for line in
                   client.errors().splitlines()), client.errors()
    print(f"{what}: exit code {code}", *errors, sep="\n  ", flush=True)


def tasks(cluster, logs):
    """One graph over all tasks."""
    end("good", begin(cluster, "good", "apply", "1,2,3,4", "--steps=3"))
    logs.show("good")
    end("assert", begin(cluster, "assert", "apply", "1,2,3,400"))
    end("numerics", begin(cluster, "numerics", "apply", "1,2,3,-4"))
    logs.seen = dict.fromkeys(logs.seen, 0)
    # The tasks go on with the next client.
    before = {task: len(cluster.log(task)) for task in cluster.tasks}
    end("again", begin(cluster, "again", "apply", "5,6,7,8"))
    logs.seen = before
    logs.show("again")


def towers(cluster, logs):
    """One client, whose batch the workers share."""
    end("good", begin(cluster, "good", "train", rows(1, 2, 3, 4), "--steps=2"))
    logs.show("good")
    end("bad", begin(cluster, "bad", "train", rows(1, 2, 3, 1000), "--steps=2"))


def workers(cluster, logs):
    """A client for each worker."""
    def worker(name, number, values, steps):
        return begin(cluster, name, "train", values, f"--worker={number}",
                     f"--steps={steps}", "--print-every=100")

    # The chief runs for as long as the other takes, whose steps are counted.
    chief = worker("chief", 0, rows(1, 2), 10**9)
    end("worker 1", worker("good", 1, rows(3, 4), 5))
    processes.wait_until(lambda: "h: " in cluster.log(("worker", 0)), 20,
                         "worker 0 prints")
    logs.show("good", {("worker", 0): "many"})
    end("bad worker 1", worker("bad", 1, rows(3, "nan"), 5))
    end("large worker 1", worker("large", 1, rows(3, 1000), 5))
    print("worker 0", "ends" if chief.process.poll() is not None else "runs", flush=True)
    chief.process.send_signal(processes.signal.SIGINT)
    end("worker 0 at the end", chief)


def main():
    with tempfile.TemporaryDirectory(prefix="graphc-") as folder, \
            processes.Cluster(folder, {"ps": 1, "worker": int(sys.argv[3])}) as cluster:
        globals()[sys.argv[1]](cluster, Logs(cluster))


main()
