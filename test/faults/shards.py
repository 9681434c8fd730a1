#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints that the servers of a cluster write by themselves, and what can go
wrong with that. Prints a line for each case, and fails where one ends otherwise.

  shards.py [--cases=written,layouts,apart,read-only,full,killed]

Cases: `written`, by whom; `layouts`, what others load and have written; `apart`, a
server that does not see the folder; `read-only`, one that may not write there; `full`,
a disk that is; `killed`, a server that dies while it writes."""
import argparse
import ctypes
import filecmp
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from disk import CLONE_NEWNS, MS_PRIVATE, MS_REC
from processes import LIBC, Program

HERE = os.path.dirname(os.path.abspath(__file__))
CLONE_NEWUSER = 0x10000000
MS_RDONLY, MS_REMOUNT, MS_BIND = 1, 32, 4096
STEPS, EVERY = 12, 4
SERVERS = 3


def fail(text):
    sys.exit(f"error: {text}")


def mount(source, target, kind, flags, data=None):
    def text(value):
        return value.encode() if value else None
    if LIBC.mount(text(source), text(target), text(kind), ctypes.c_ulong(flags),
                  text(data)) != 0:
        raise OSError(ctypes.get_errno(), f"cannot mount {target}")


def enter_mounts():
    """Moves this process to mounts of its own."""
    if (LIBC.unshare(CLONE_NEWNS) != 0
            and LIBC.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0):
        raise OSError(ctypes.get_errno(), "no mount namespaces here")
    mount("none", "/", None, MS_REC | MS_PRIVATE)


def are_mounts_allowed(path):
    child = os.fork()
    if child == 0:
        try:
            enter_mounts()
            mount("none", path, "tmpfs", 0)
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def hide(path):
    enter_mounts()
    mount("none", path, "tmpfs", 0)


def protect(path):
    enter_mounts()
    mount(path, path, None, MS_BIND)
    mount("none", path, None, MS_REMOUNT | MS_BIND | MS_RDONLY)


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("localhost", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Three servers and a worker; `prepare` is called in the process of the
    second server before it begins."""

    def __init__(self, folder, prepare=None):
        self.folder = folder
        os.makedirs(folder)
        ports = free_ports(SERVERS + 1)
        self.file = os.path.join(folder, "cluster.json")
        with open(self.file, "w", encoding="ascii") as file:
            json.dump({"ps": [f"localhost:{port}" for port in ports[:SERVERS]],
                       "worker": [f"localhost:{ports[SERVERS]}"]}, file)
        self.prepare = prepare
        self.servers = [self.start(i) for i in range(SERVERS)]
        self.worker = Program(folder, "worker", self.command("worker", 0))

    def command(self, job, number):
        return ["graphc-server", f"--cluster={self.file}", f"--job={job}",
                f"--task={number}", "--threads=1"]

    def start(self, number):
        command = self.command("ps", number)
        if number == 1 and self.prepare:
            command = [sys.executable, os.path.abspath(__file__),
                       f"--as={self.prepare[0]}", self.prepare[1], *command]
        return Program(self.folder, f"ps{number}", command)

    def train(self, model, train_dir, *flags, steps=STEPS):
        return subprocess.Popen(
            ["graphc-run", "train", model, "--graph=train", "--seed=3",
             f"--cluster={self.file}", f"--train-dir={train_dir}",
             f"--save-steps={EVERY}", f"--steps={steps}", *flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def written(self, number):
        """The files that a server has written, as it tells."""
        return re.findall(r"wrote (\S+), \d+ bytes",
                          self.servers[number].text("out") +
                          self.servers[number].text("err"))

    def close(self):
        for each in [*self.servers, self.worker]:
            each.send(signal.SIGKILL)
            each.process.wait()


def end(process, code=0):
    errors = process.communicate(timeout=120)[1]
    if process.returncode != code:
        fail(f"exit code {process.returncode}, not {code}: {errors}")
    return errors


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False,
                          timeout=120)
    if done.returncode != 0:
        fail(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout


class Cases:
    def __init__(self, folder):
        self.folder = folder
        with open(f"{folder}/any.json", "w", encoding="ascii") as file:
            json.dump({"ps": ["a:1", "b:1", "c:1"], "worker": ["d:1"]}, file)
        self.one, self.many = f"{folder}/one.bin", f"{folder}/many.bin"
        model = os.path.join(HERE, "Inputs", "shards.tfir")
        run("graphc", model, "-o", self.one)
        run("graphc", model, f"--cluster={folder}/any.json",
            "--placement=ps-round-robin", "-o", self.many)
        self.expected = None

    def path(self, name):
        return os.path.join(self.folder, name)

    def check(self, train_dir):
        """All checkpoints are whole, nothing is left of others, and the last one
        has the values of a training that nothing has happened to."""
        listed = run("graphc-ckpt", "list", train_dir)
        last = f"{train_dir}/checkpoint-{STEPS}"
        left = glob.glob(f"{train_dir}/*.tmp") + glob.glob(f"{train_dir}/*.old")
        if f"checkpoint-{STEPS} " not in listed or left:
            fail(f"{train_dir} has {left} and {listed}")
        files = sorted(os.listdir(last))
        if files != ["manifest.json",
                     *(f"model-0000{k}-of-0000{SERVERS}.safetensors"
                       for k in range(1, SERVERS + 1)),
                     "model.safetensors.index.json"]:
            fail(f"{last} has {files}")
        if self.expected is None:
            self.expected = self.path("expected")
            shutil.copytree(last, self.expected)
        for name in files[1:-1]:
            if not filecmp.cmp(f"{self.expected}/{name}", f"{last}/{name}", False):
                fail(f"{last}/{name} has other values")

    def written(self):
        """Also what the other cases are compared with."""
        cluster = Cluster(self.path("written"))
        train_dir = self.path("written-dir")
        errors = end(cluster.train(self.many, train_dir))
        if "note: tasks send" in errors:
            fail(errors)
        steps = [0, 4, 8, 12]
        for k in range(SERVERS):
            found = [os.path.basename(path) for path in cluster.written(k)]
            if found != [f"model-0000{k + 1}-of-0000{SERVERS}.safetensors"] * len(
                    steps):
                fail(f"server {k} tells that it wrote {found}")
        cluster.close()
        self.check(train_dir)
        return f"{len(steps)} checkpoints by {SERVERS} servers, a file each"

    def layouts(self):
        """One process loads what the servers have written, and the other way
        round."""
        run("graphc-run", self.one, "--graph=look", "--steps=1",
            f"--load={self.expected}", f"--save={self.path('one.safetensors')}")
        run("graphc-ckpt", "diff", self.expected, self.path("one.safetensors"))
        train_dir = self.path("layouts-dir")
        run("graphc-run", "train", self.one, "--graph=train", "--quiet", "--seed=3",
            f"--train-dir={train_dir}", f"--steps={STEPS - EVERY}")
        before = f"{train_dir}/checkpoint-{STEPS - EVERY}"
        cluster = Cluster(self.path("layouts"))
        saved = self.path("many.safetensors")
        # Nothing is left to do but to load and to write it.
        end(cluster.train(self.many, train_dir, f"--save={saved}",
                          steps=STEPS - EVERY))
        run("graphc-ckpt", "diff", before, saved)
        end(cluster.train(self.many, train_dir))
        if any(not cluster.written(k) for k in range(SERVERS)):
            fail("not all servers have written")
        cluster.close()
        run("graphc-ckpt", "list", train_dir)
        return "the same values in one process and on servers"

    def streamed(self, name, how, text):
        train_dir = self.path(f"{name}-dir")
        os.makedirs(train_dir)
        if not are_mounts_allowed(train_dir):
            return "no mount namespaces here"
        cluster = Cluster(self.path(name), (how, train_dir))
        errors = end(cluster.train(self.many, train_dir))
        cluster.close()
        notes = [line for line in errors.splitlines() if "note: tasks send" in line]
        if len(notes) != 1 or "/job:ps/task:1: " not in notes[0] or text not in notes[0]:
            fail(f"{name}: {errors}")
        if any(cluster.written(k) for k in range(SERVERS)):
            fail(f"{name}: a server has written")
        self.check(train_dir)
        return "the client has written all, and told it once"

    def apart(self):
        return self.streamed("apart", "hide", "it does not see the folder")

    def read_only(self):
        return self.streamed("read-only", "protect", "Read-only file system")

    def full(self):
        train_dir = self.path("full-dir")
        os.makedirs(train_dir)
        child = os.fork()
        if child == 0:
            try:
                try:
                    enter_mounts()
                    mount("none", train_dir, "tmpfs", 0, "size=10m")
                except OSError as error:
                    print(f"full: {error.strerror}")
                    sys.stdout.flush()
                    os._exit(0)
                self.fill(train_dir)
                sys.stdout.flush()
                os._exit(0)
            except SystemExit as error:
                print(error.code, flush=True)
            os._exit(1)
        if os.waitpid(child, 0)[1] != 0:
            fail("full: see above")
        return None

    def fill(self, train_dir):
        cluster = Cluster(self.path("full"))
        errors = end(cluster.train(self.many, train_dir), 1)
        if not re.search(r"note: a checkpoint was not written: /job:ps/task:\d: "
                         r"cannot write '\S+model-0000\d-of-00003.safetensors': No "
                         r"space left", errors):
            fail(f"full: {errors}")
        if glob.glob(f"{train_dir}/checkpoint*"):
            fail(f"full: {os.listdir(train_dir)} is left")
        mount("none", train_dir, None, MS_REMOUNT, "size=100m")
        cluster.close()
        cluster = Cluster(self.path("room"))
        end(cluster.train(self.many, train_dir))
        cluster.close()
        self.check(train_dir)
        print("full: noted, and the training went on; written where there is room")

    def killed(self):
        """The second server stops while it writes, and then dies."""
        train_dir = self.path("killed-dir")
        for attempt in range(20):
            shutil.rmtree(train_dir, ignore_errors=True)
            cluster = Cluster(self.path(f"killed-{attempt}"))
            process = cluster.train(self.many, train_dir, "--recover=3", "--stall=20")
            is_caught = self.catch(cluster, process, train_dir)
            if is_caught:
                cluster.servers[1].send(signal.SIGKILL)
                cluster.servers[1].process.wait()
                cluster.servers[1] = cluster.start(1)
            errors = end(process)
            cluster.close()
            self.check(train_dir)
            if is_caught:
                if "note: a checkpoint was not written: lost /job:ps/task:1" not in errors:
                    fail(f"killed: {errors}")
                return "noted, and the same values at the end"
        fail("killed: no server was caught while it was writing")
        return None

    @staticmethod
    def catch(cluster, process, train_dir):
        """Stops the second server within a checkpoint; False: too late."""
        pattern = f"{train_dir}/checkpoint-*.tmp/model-00002-*"
        if os.path.exists(f"{train_dir}/checkpoint-0"):
            fail("it has begun before")
        while not os.path.exists(f"{train_dir}/checkpoint-0"):
            if process.poll() is not None:
                return False
            time.sleep(0.001)
        while process.poll() is None:
            for path in glob.glob(pattern):
                try:
                    if os.path.getsize(path) == 0:
                        continue
                except OSError:
                    continue
                cluster.servers[1].send(signal.SIGSTOP)
                time.sleep(0.3)
                if os.path.exists(path):
                    return True
                cluster.servers[1].send(signal.SIGCONT)
        return False


def main():
    if len(sys.argv) > 3 and sys.argv[1].startswith("--as="):
        {"hide": hide, "protect": protect}[sys.argv[1][5:]](sys.argv[2])
        os.execvp(sys.argv[3], sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases",
                        default="written,layouts,apart,read-only,full,killed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="graphc-") as folder:
        cases = Cases(folder)
        for name in ["written", *options.cases.split(",")]:
            if name == "written" and cases.expected:
                continue
            told = getattr(cases, name.replace("-", "_"))()
            if told:
                print(f"{name}: {told}", flush=True)


if __name__ == "__main__":
    main()
