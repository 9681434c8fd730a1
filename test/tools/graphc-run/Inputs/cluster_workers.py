# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two workers with a client each.
#
#   cluster_workers.py SCENARIO MODEL     a plan for a task of job ps and at most
#                                         three workers
import json
import os
import sys
import tempfile

import cluster_processes as processes


def begin(cluster, name, *flags, steps=500):
    return processes.Client(cluster.folder, name, [
        sys.argv[2], f"--target={cluster.target(('ps', 0))}", "--graph=train",
        f"--steps={steps}", "--feed=x=1,2,3,4", "--feed=y=2.2,4.2,6.2,8.2",
        *flags])


def finish(*clients):
    for number, client in enumerate(clients):
        code, _ = client.wait(30)
        assert code == 0, client.errors()
        print(f"worker {number}: {client.output().splitlines()[-1]}")


def second_first(cluster):
    """The second worker waits for the chief."""
    nobody = begin(cluster, "nobody")
    code, _ = nobody.wait(20)
    assert code == 1, nobody.errors()
    print("without a worker:", nobody.errors().split("error: ")[1], end="")

    os.environ["TF_CONFIG"] = json.dumps(
        {"cluster": cluster.addresses,
         "task": {"type": "worker", "index": 1}})
    second = begin(cluster, "second")
    del os.environ["TF_CONFIG"]
    processes.wait_until(lambda: "chief" in second.errors(), 20,
                         "worker 1 waits for the chief")
    print("worker 1 waits:", second.errors().splitlines()[-1])
    finish(begin(cluster, "first", "--worker=0"), second)


def join(cluster):
    """The second joins while the first runs, leaves, and comes again."""
    first = begin(cluster, "first", "--worker=0", "--print-every=100",
                  steps=10_000_000)
    for name in ("second", "again"):
        processes.wait_until(lambda: "step " in first.output(), 20,
                             "worker 0 runs")
        second = begin(cluster, name, "--worker=1")
        code, _ = second.wait(30)
        assert code == 0, second.errors()
        print(f"{name}: {second.output().splitlines()[-1]}")
        assert first.process.poll() is None, first.errors()
    first.process.send_signal(processes.signal.SIGINT)
    code, _ = first.wait(30)
    print("worker 0 is interrupted with", code)


def listen(cluster):
    """Workers share one graph: the second gets the values of the chief's run,
    whether it comes before it or while it goes."""
    early = begin(cluster, "early", "--worker=1", "--fetch=loss")
    processes.wait_until(lambda: "chief" in early.errors(), 20,
                         "worker 1 waits for the chief")
    first = begin(cluster, "first", "--worker=0", "--print-every=100",
                  steps=10_000_000)
    finish(early)
    processes.wait_until(lambda: "step " in first.output(), 20, "worker 0 runs")
    finish(begin(cluster, "late", "--worker=1", "--fetch=loss"))
    assert first.process.poll() is None, first.errors()
    first.process.send_signal(processes.signal.SIGINT)
    code, _ = first.wait(30)
    print("worker 0 is interrupted with", code)


def quorum(cluster):
    """The first waits for the gradients of the second."""
    first = begin(cluster, "first", "--worker=0")
    processes.wait_until(lambda: "only 1 worker runs" in first.errors(), 20,
                         "worker 0 waits for a quorum")
    print("worker 0 waits:", first.errors().splitlines()[-1])
    finish(first, begin(cluster, "second", "--worker=1"))


def main():
    with tempfile.TemporaryDirectory(prefix="graphc-") as folder, \
            processes.Cluster(folder, {"ps": 1, "worker": 3}) as cluster:
        globals()[sys.argv[1]](cluster)


main()
