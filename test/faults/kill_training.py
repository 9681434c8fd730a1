#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills trainings with SIGKILL at random moments, and begins them again by the
same command until they end: their variables must be those, to the bit, of a
training that nobody killed.

  kill_training.py [--runs=N] [--seed=S] [--kinds=local,cluster,task]

Kinds: `local` kills a training in one process, `cluster` one of three tasks with
all its processes, `task` one task of three, which --recover replaces. Prints a
line for each kind, and fails where a training ends otherwise."""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "tools", "graphc-run", "Inputs", "points.csv")
CLUSTER = os.path.join(HERE, "..", "..", "examples", "parameter-server",
                       "cluster.json")


def compile_model(folder, *flags):
    model = os.path.join(folder, "cluster.bin" if flags else "local.bin")
    subprocess.run(["graphc", os.path.join(HERE, "Inputs", "training.tfir"), "--batch=4",
                    *flags, "-o", model], check=True)
    return model


class Kind:
    """A training that can be begun again and again."""

    def __init__(self, folder, name, model, steps, flags=()):
        self.folder, self.name = folder, name
        self.command = ["graphc-run", "train", model, "--seed=7", "--quiet",
                        f"--data=points={DATA}", f"--steps={steps}",
                        "--save-secs=0.05", *flags]
        begin = time.monotonic()
        self.expected = self.run_to_end("whole")
        self.seconds = time.monotonic() - begin

    def start(self, train_dir):
        return subprocess.Popen(
            [*self.command, f"--train-dir={train_dir}",
             f"--save={train_dir}.safetensors"],
            start_new_session=True, stderr=subprocess.PIPE)

    def finish(self, process):
        """The errors of a process that ended by itself; fails where it is not
        a success."""
        errors = process.communicate(timeout=120)[1].decode()
        if process.returncode != 0:
            sys.exit(f"{self.name}: exit code {process.returncode}: {errors}")
        return errors

    def run_to_end(self, name):
        train_dir = os.path.join(self.folder, f"{self.name}-{name}")
        self.finish(self.start(train_dir))
        return self.values(train_dir)

    def values(self, train_dir):
        with open(f"{train_dir}.safetensors", "rb") as file:
            found = file.read()
        shutil.rmtree(train_dir)
        return found

    def kill(self, process, _):
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return True

    def run(self, number, randoms):
        """Kills one training until it ends: how often."""
        train_dir = os.path.join(self.folder, f"{self.name}-{number}")
        kills, wanted = 0, randoms.randint(1, 4)
        while kills < wanted:
            process = self.start(train_dir)
            try:
                process.wait(randoms.uniform(0.02, self.seconds * 0.8))
                break  # it was done before
            except subprocess.TimeoutExpired:
                if not self.kill(process, randoms):
                    break
                kills += 1
        else:
            process = self.start(train_dir)
        self.finish(process)
        if self.values(train_dir) != self.expected:
            sys.exit(f"{self.name}: run {number} ends with other variables "
                     f"after {kills} kills")
        return kills


def servers_of(pid):
    """The processes that `pid` started."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True,
                           text=True, check=False).stdout.split()
    return [int(child) for child in found]


class TaskKind(Kind):
    """Kills a task; the client goes on. A process that is gone was done."""

    def run(self, number, randoms):
        train_dir = os.path.join(self.folder, f"{self.name}-{number}")
        process = self.start(train_dir)
        kills = 0
        try:
            for _ in range(randoms.randint(1, 2)):
                process.wait(randoms.uniform(0.3, self.seconds * 0.8))
        except subprocess.TimeoutExpired:
            servers = servers_of(process.pid)
            try:
                if servers:
                    os.kill(randoms.choice(servers), signal.SIGKILL)
                    kills += 1
            except ProcessLookupError:
                pass  # the training was done by then
        self.finish(process)
        if self.values(train_dir) != self.expected:
            sys.exit(f"{self.name}: run {number} ends with other variables "
                     f"after {kills} kills")
        return kills


def make_kinds(folder, names, steps):
    kinds = []
    if "local" in names:
        kinds.append(Kind(folder, "local", compile_model(folder),
                          5 * steps))
    if {"cluster", "task"} & names:
        model = compile_model(folder, f"--cluster={CLUSTER}",
                              "--placement=ps-round-robin")
        flags = ["--spawn=ps:1,worker:2"]
        if "cluster" in names:
            kinds.append(Kind(folder, "cluster", model, steps // 50, flags))
        if "task" in names:
            kinds.append(TaskKind(folder, "task", model, steps // 20,
                                  [*flags, "--recover=5", "--stall=5"]))
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--kinds", default="local,cluster,task")
    options = parser.parse_args()
    randoms = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="graphc-") as folder:
        for kind in make_kinds(folder, set(options.kinds.split(",")),
                               options.steps):
            kills = sum(kind.run(number, randoms)
                        for number in range(options.runs))
            print(f"{kind.name}: {options.runs} runs, {kills} kills, the same "
                  f"variables ({kind.seconds:.1f} s without a kill)",
                  flush=True)
            if kills == 0:
                sys.exit(f"{kind.name}: nothing was killed")


main()
