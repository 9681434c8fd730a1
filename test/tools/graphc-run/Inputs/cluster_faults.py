# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Harms real processes of a cluster and looks at what users and survivors are told.
#
#   cluster_faults.py MODEL kill ROUNDS      kill -9 each task so many times
#   cluster_faults.py MODEL stop TASK...     SIGSTOP each of these tasks
#   cluster_faults.py MODEL deadline         calls at a cluster with a stopped task
#   cluster_faults.py MODEL cut CUTS         cut connections during 1,000 steps
#   cluster_faults.py MODEL recover KILLS    kill tasks during a run that recovers
#
# MODEL: a plan for ps:1,worker:2 with graph "train".
import json
import random
import signal
import subprocess
import sys
import tempfile
import time

import cluster_processes as processes

JOBS = {"ps": 1, "worker": 2}
ENDLESS = "--steps=1000000000000"
KILL_SECONDS = 3
STOP_SECONDS = 12
UNAVAILABLE = "UNAVAILABLE"


def name_of(task):
    return f"/job:{task[0]}/task:{task[1]}"


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def begin_endless(cluster, folder, model, name):
    client = processes.Client(folder, name, [
        model, f"--target={cluster.target(('worker', 0))}", "--graph=train",
        ENDLESS, "--print-every=50"])
    client.wait_for_steps()
    return client


def begin_short(cluster, folder, model, name, *flags):
    return processes.Client(folder, name, [
        model, f"--target={cluster.target(('worker', 1))}", "--graph=train",
        "--steps=50", *flags])


def check_loss(cluster, folder, model, task, name):
    """A task with variables has come back: they are not made anew silently."""
    client = begin_short(cluster, folder, model, name)
    code, _ = client.wait(20)
    check(code == 1 and name_of(task) + " has lost the values of"
          in client.errors(), f"exit code {code}: {client.errors()}")


def run_short(cluster, folder, model, name, *flags):
    """A run after a fault: the cluster is whole again."""
    client = begin_short(cluster, folder, model, name, *flags)
    code, _ = client.wait(20)
    check(code == 0, f"the run after a fault failed: {client.errors()}")


def check_cause(client, code, task):
    """The client names the lost task, and no other, as the root."""
    errors = client.errors()
    check(code == 1, f"exit code {code}: {errors}")
    last = [line for line in errors.splitlines() if "error:" in line]
    check(last and name_of(task) in last[0] and UNAVAILABLE in last[0],
          f"the cause is not {name_of(task)}: {errors}")


def check_survivors(cluster, task):
    for other in cluster.tasks:
        if other == task:
            continue
        check(cluster.is_running(other),
              f"{name_of(other)} died with {name_of(task)}: "
              + cluster.log(other))
        # The client may tell the cause before a survivor notices by itself.
        processes.wait_until(lambda: name_of(task) in cluster.log(other), 15,
                             f"{name_of(other)} logs {name_of(task)}")


def kill_each(model, folder, rounds):
    slowest = 0
    with processes.Cluster(folder, JOBS) as cluster:
        for number in range(rounds):
            for task in cluster.tasks:
                label = f"{task[0]}{task[1]}-{number}"
                client = begin_endless(cluster, folder, model, label)
                cluster.send(task, signal.SIGKILL)
                code, seconds = client.wait(20)
                check_cause(client, code, task)
                check(seconds <= KILL_SECONDS,
                      f"{name_of(task)} was noticed after {seconds:.1f} s")
                slowest = max(slowest, seconds)
                check_survivors(cluster, task)
                cluster.processes[task].wait()
                cluster.start(task)
                is_lost = task[0] == "ps"
                if is_lost:
                    check_loss(cluster, folder, model, task, label + "-loss")
                run_short(cluster, folder, model, label + "-after",
                          *(["--init"] if is_lost else []))
    print(f"kill: {rounds * len(cluster.tasks)} kills, noticed within"
          f" {slowest:.2f} s")


def stop_each(model, folder, names):
    slowest = 0
    for text in names:
        job, index = text.split(":")
        task = (job, int(index))
        with processes.Cluster(folder, JOBS) as cluster:
            client = begin_endless(cluster, folder, model, "stop-" + job + index)
            cluster.send(task, signal.SIGSTOP)
            code, seconds = client.wait(30)
            check_cause(client, code, task)
            check(seconds <= STOP_SECONDS,
                  f"{text} was noticed after {seconds:.1f} s")
            slowest = max(slowest, seconds)
            check_root(cluster, task)
            cluster.send(task, signal.SIGCONT)
            run_short(cluster, folder, model, "after-" + job + index)
    print(f"stop: {len(names)} stops, noticed within {slowest:.2f} s")


def check_deadlines(model, folder):
    """No call outlives its deadline by more than a second; and while a run
    stands still, --why-stuck knows why."""
    task = ("worker", 1)
    with processes.Cluster(folder, JOBS) as cluster:
        begin_endless(cluster, folder, model, "running")
        cluster.send(task, signal.SIGSTOP)
        time.sleep(1)  # so that the others have come to wait for it
        check_root(cluster, task, waiters=1)
    print("why-stuck: the stopped task is the root of the waits")
    with processes.Cluster(folder, JOBS) as cluster:
        flags = [model, f"--target={cluster.target(('worker', 0))}",
                 "--graph=train", "--deadline=2", "--print-every=50"]
        client = processes.Client(folder, "late", [*flags, ENDLESS])
        client.wait_for_steps()
        cluster.send(task, signal.SIGSTOP)
        check_late(client)
        # The stopped task cannot even be compared.
        check_late(processes.Client(folder, "open", [*flags, "--steps=1"]),
                   name_of(task))
    with processes.Cluster(folder, {"worker": 1}) as cluster:
        # Tasks of the plan that never come.
        late = json.dumps({"ps": [f"unix:{folder}/absent"],
                           "worker": [cluster.target(("worker", 0)),
                                      f"unix:{folder}/absent-too"]})
        check_late(processes.Client(folder, "absent", [
            model, f"--cluster={late}", "--graph=train", "--deadline=2"]),
            "/job:ps/task:0")
    print("deadline: kept within 1 s")


def check_late(client, name=""):
    code, seconds = client.wait(10)
    check(code == 1 and "DEADLINE_EXCEEDED" in client.errors()
          and name in client.errors(), f"exit code {code}: {client.errors()}")
    check(seconds <= 3, f"a call with a deadline of 2 s took {seconds:.1f} s")


def check_root(cluster, task, waiters=0):
    """--why-stuck says that the task has stopped, asked of another one."""
    other = next(t for t in cluster.tasks if t != task)
    done = subprocess.run(
        ["graphc-run", f"--why-stuck={cluster.target(other)}"],
        capture_output=True, text=True, timeout=20, check=False)
    check(f"root (stopped): {name_of(task)}" in done.stdout,
          f"--why-stuck: {done.stdout}{done.stderr}")
    waiting = [line for line in done.stdout.splitlines()
               if "waits for" in line and "edge" in line]
    check(len(waiting) >= waiters, f"nobody waits: {done.stdout}")


def weights(path):
    with open(path, "rb") as file:
        return file.read()


def cut_randomly(model, folder, most):
    undisturbed = f"{folder}/undisturbed.safetensors"
    subprocess.run(["graphc-run", model, "--virtual-gpus", "--graph=train",
                    "--steps=1000", "--quiet", f"--save={undisturbed}"],
                   check=True, timeout=60)
    saved = f"{folder}/cut.safetensors"
    with processes.Cluster(folder, JOBS, ["--route=grpc"],
                           proxies=True) as cluster:
        client = processes.Client(folder, "cut", [
            model, f"--cluster={cluster.direct()}", "--graph=train",
            "--steps=1000", "--quiet", f"--save={saved}"])
        cuts = processes.cut_at_random(
            cluster, 1, lambda: client.process.poll() is not None, most)
        code, _ = client.wait(120)
        check(code == 0, f"the run did not survive cuts: {client.errors()}")
    check(cuts >= most, f"the run was over after {cuts} cuts")
    check(weights(saved) == weights(undisturbed),
          f"weights differ after {cuts} cuts")
    print(f"cut: {cuts} cuts, the same weights")


def recover(model, folder, kills):
    """The run goes on at the exact step: the weights are the undisturbed ones."""
    steps = 40000
    undisturbed = f"{folder}/undisturbed.safetensors"
    subprocess.run(["graphc-run", model, "--virtual-gpus", "--graph=train",
                    f"--steps={steps}", "--quiet", f"--save={undisturbed}"],
                   check=True, timeout=60)
    saved = f"{folder}/recovered.safetensors"
    chance = random.Random(2)
    with processes.Cluster(folder, JOBS) as cluster:
        client = processes.Client(folder, "recover", [
            model, f"--target={cluster.target(('worker', 0))}", "--graph=train",
            f"--steps={steps}", "--print-every=100", f"--save={saved}",
            "--recover=20", f"--checkpoint={folder}/checkpoint.safetensors",
            "--checkpoint-every=500"])
        client.wait_for_steps()
        for number in range(kills):
            time.sleep(chance.uniform(0.02, 0.2))
            check(client.process.poll() is None,
                  f"the run was over after {number} kills: {client.errors()}")
            task = chance.choice(cluster.tasks)
            # An orchestrator that moves a task asks it to end.
            cluster.send(task, signal.SIGTERM if number == 1 else signal.SIGKILL)
            cluster.processes[task].wait()
            cluster.start(task)
            # Recovered: it goes on printing steps.
            lines = client.output().count("\n")
            processes.wait_until(
                lambda: client.output().count("\n") > lines + 1
                or client.process.poll() is not None, 30,
                f"steps after kill {number + 1}")
        code, _ = client.wait(90)
        check(code == 0, f"the run did not recover: {client.errors()}")
        check("goes on from" in client.errors(), "nothing was lost")
    check(weights(saved) == weights(undisturbed), "weights differ")
    print(f"recover: {kills} kills, the same weights")


def main():
    model, what, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="graphc-") as folder:
        if what == "kill":
            kill_each(model, folder, int(rest[0]))
        elif what == "stop":
            stop_each(model, folder, rest)
        elif what == "deadline":
            check_deadlines(model, folder)
        elif what == "cut":
            cut_randomly(model, folder, int(rest[0]))
        elif what == "recover":
            recover(model, folder, int(rest[0]))
        else:
            sys.exit(f"cluster_faults.py: no fault '{what}'")


main()
