# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A cluster of three servers on unix sockets, in a folder with a short name, and a
# client that trains on it.
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../.."))


class ThreeTasks:
    def __init__(self, flags=()):
        self.folder = tempfile.mkdtemp(prefix="top")
        self.cluster = os.path.join(self.folder, "cluster.json")
        with open(self.cluster, "w", encoding="utf-8") as file:
            json.dump({"ps": [f"unix:{self.folder}/ps"],
                       "worker": [f"unix:{self.folder}/w0",
                                  f"unix:{self.folder}/w1"]}, file)
        self.model = os.path.join(self.folder, "line.bin")
        subprocess.run(
            ["graphc", SOURCE + "/examples/parameter-server/adagrad.tfir",
             "--cluster=" + self.cluster, "--placement=ps-round-robin",
             "-o", self.model], check=True)
        self.servers = {}
        for job, task in (("ps", 0), ("worker", 0), ("worker", 1)):
            name = f"{job}{task}"
            log = open(os.path.join(self.folder, name + ".log"), "w",
                       encoding="utf-8")
            self.servers[name] = subprocess.Popen(
                ["graphc-server", "--cluster=" + self.cluster, "--job=" + job,
                 f"--task={task}", "--threads=1", *flags], stdout=log, stderr=log)
        self.address = f"unix:{self.folder}/w0"
        self.client = None

    def log(self, name):
        with open(os.path.join(self.folder, name + ".log"), encoding="utf-8") as file:
            return file.read()

    def train(self):
        self.client = subprocess.Popen(
            ["graphc-run", self.model, "--target=" + self.address, "--graph=train",
             "--steps=1000000000", "--quiet"], stderr=subprocess.DEVNULL)

    def views(self):
        """What graphc-top prints as JSON, by task."""
        done = subprocess.run(["graphc-top", self.address, "--once", "--json",
                               "--interval=0.3"], capture_output=True, text=True,
                              check=True)
        return {view["task"]: view for view in json.loads(done.stdout)["tasks"]}

    def await_steps(self):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            views = self.views()
            if all(view["state"] == "running" for view in views.values()):
                return views
        sys.exit(f"no steps are made: {views}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in [self.client, *self.servers.values()]:
            if process:
                process.terminate()
        for process in [self.client, *self.servers.values()]:
            if process:
                process.wait()
        shutil.rmtree(self.folder)
