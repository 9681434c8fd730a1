# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Looks at a training on three tasks with graphc-top --once and --json, also while
# one of them dies.
import re
import signal
import subprocess

from three_tasks import ThreeTasks


def top(*arguments):
    return subprocess.run(["graphc-top", *arguments, "--interval=0.3"],
                          capture_output=True, text=True, timeout=60)


with ThreeTasks() as cluster:
    cluster.train()
    views = cluster.await_steps()
    worker = views["/job:worker/task:0"]
    assert worker["steps_per_second"] > 0 and worker["resident_bytes"] > 1e6
    assert 0 < worker["wait_share"] <= 1 and worker["loss"] is not None
    assert views["/job:ps/task:0"]["variable_bytes"] > 0
    for link in worker["links"]:
        assert link["up"] and link["sent_bytes_per_second"] > 0, link
    graph = next(g for g in worker["graphs"] if g["graph"] == "train")
    assert graph["steps"] > 0 and graph["median_step_seconds"] > 0
    print("rates, waits, memory and links are there")

    for view in ("tasks", "links", "graphs"):
        print(top(cluster.address, "--once", "--view=" + view).stdout)
    # A cluster file, and no terminal.
    print(top(cluster.cluster).stdout.splitlines()[0])

    cluster.servers["ps0"].send_signal(signal.SIGSTOP)
    stopped = top(cluster.address, "--once")
    cluster.servers["ps0"].send_signal(signal.SIGCONT)
    print(stopped.returncode, re.sub(r"unix:\S+", "ADDRESS", stopped.stdout))
    cluster.servers["ps0"].kill()
    cluster.servers["ps0"].wait()
    lost = top(cluster.address, "--once")
    print(lost.returncode, re.sub(r"unix:\S+", "ADDRESS", lost.stdout))
