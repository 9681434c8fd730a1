# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A side of a comparison (see side_by_side.py) that is a plan of graphc on a
cluster of processes on this machine."""
import json
import os
import re
import signal
import subprocess
import time

import side_by_side

START_SECONDS = 30


def write_cluster(path, jobs):
    """A cluster file for the compiler: jobs is {"ps": 1, "worker": 2}."""
    port = 2222
    cluster = {}
    for job, count in jobs.items():
        cluster[job] = [f"localhost:{port + i}" for i in range(count)]
        port += count
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"cluster": cluster,
                   "client": "/job:worker/task:0"}, file)


class Spawned:
    """A plan whose tasks graphc-run starts for each run."""

    def __init__(self, name, source, jobs, options, folder, compile_flags=(),
                 run_flags=(), updates_per_step=1):
        self.name = name
        self.batch = 1
        self.updates_per_step = updates_per_step
        tool = os.path.join(options.build, "bin", "graphc")
        cluster = os.path.join(folder, name + "-cluster.json")
        write_cluster(cluster, jobs)
        plan = os.path.join(folder, name + ".bin")
        side_by_side.run([tool, source, f"--cluster={cluster}", "-o", plan,
                          *compile_flags])
        self.report = os.path.join(folder, name + ".json")
        spawn = ",".join(f"{job}:{count}" for job, count in jobs.items())
        self.command = [tool + "-run", plan, "--graph=train", "--quiet",
                        f"--spawn={spawn}", f"--json={self.report}",
                        *run_flags]

    def time(self, steps):
        """Microseconds per update, of the whole run, twice: there is no
        least one."""
        side_by_side.run(self.command + [f"--steps={steps}"])
        with open(self.report, encoding="utf-8") as file:
            report = json.load(file)
        micros = 1e6 * report["seconds"] / report["steps"]
        return (micros / self.updates_per_step,) * 2


class Servers:
    """Servers that this starts itself, each on cores of its own."""

    def __init__(self, build, jobs, cores, threads, folder):
        self.processes = []
        tool = os.path.join(build, "bin", "graphc-server")
        cluster = {job: [f"unix:{folder}/{job}{i}.sock" for i in range(count)]
                   for job, count in jobs.items()}
        self.cluster = json.dumps(cluster)
        names = [(job, i) for job, count in jobs.items() for i in range(count)]
        for (job, i), core in zip(names, cores):
            self.processes.append(subprocess.Popen(
                ["taskset", "-c", str(core), tool, f"--cluster={self.cluster}",
                 f"--job={job}", f"--task={i}", f"--threads={threads}"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def stop(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + START_SECONDS
        for process in self.processes:
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def fill(template, path, values):
    """Writes a template with its @NAME@ replaced."""
    with open(template, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"@(\w+)@", lambda found: str(values[found[1]]), text)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
