# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on the tasks of a cluster, which the checker simulates: training
on towers with parameter servers, or any program whose ops ask for devices of
tasks; some with faults that a run survives."""
import random

from generator import Program
from towers import TowerProgram


def faults(rng):
    """Options of the check."""
    return ["cluster=1"] + ([f"faults={rng.choice([1, 2, 3])}"]
                            if rng.random() < 0.3 else [])


class ClusterTowers(TowerProgram):
    """Towers on the GPUs of workers, variables on servers or mirrored."""

    def places(self):
        workers = self.rng.choice(
            [n for n in range(1, self.towers + 1) if self.towers % n == 0])
        gpus = self.towers // workers
        names = [f"/job:worker/task:{i}/gpu:{j}" for i in range(workers)
                 for j in range(gpus)]
        names += [f"/job:worker/task:{i}/cpu:0" for i in range(workers)]
        names += [f"/job:ps/task:{i}/cpu:0"
                  for i in range(self.rng.choice([0, 1, 1, 2, 3]))]
        return ["devices=" + ",".join(names)] + faults(self.rng)


class ClusterProgram(Program):
    """Any program on the devices of two or three tasks."""

    def place_names(self):
        tasks = [f"/job:{job}/task:{task}" for job, task in self.pick([
            [("worker", 0), ("worker", 1)], [("ps", 0), ("worker", 0)],
            [("ps", 0), ("ps", 1), ("worker", 0)]])]
        self.devices = [task + "/cpu:0" for task in tasks]
        self.devices += [task + "/gpu:0" for task in tasks if "worker" in task]
        return self.devices + tasks

    def header(self, seed):
        lines = super().header(seed)
        options = [word for word in lines[1].split()
                   if not word.startswith("gpus=")]
        options += ["devices=" + ",".join(self.devices), "replicate=none"]
        return [lines[0], " ".join(options + faults(self.rng))]


def generate(seed):
    """The text of the program of this seed."""
    if random.Random(f"clusters {seed}").random() < 0.5:
        return ClusterTowers(seed).text
    return ClusterProgram(f"clusters {seed}").text()
