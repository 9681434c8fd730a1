# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Processes that a test harms, and what is left of them. Whatever they started
# becomes this process's own when they die, so that nothing escapes the count.
import ctypes
import os
import signal
import subprocess
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def adopt_orphans():
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)


def enter_network(path):
    """Moves this process into a network namespace; None: into a new one."""
    if path is None:
        result = LIBC.unshare(CLONE_NEWNET)
    else:
        fd = os.open(path, os.O_RDONLY)
        result = LIBC.setns(fd, CLONE_NEWNET)
        os.close(fd)
    if result != 0:
        raise OSError(ctypes.get_errno(), "no network namespaces here")


class Program:
    """A process with its output in files, in a network namespace or not."""

    def __init__(self, folder, name, command, network=None, environment=None):
        self.name = name
        self.command = command
        self.paths = [f"{folder}/{name}.{kind}" for kind in ("out", "err")]
        self.began = time.monotonic()
        self.ended = None  # when it was seen to have ended
        self.harm = []  # signals that it got from outside: (time, number)

        def prepare():
            LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if network:
                enter_network(network)
        with open(self.paths[0], "ab") as out, open(self.paths[1], "ab") as err:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                env=environment, preexec_fn=prepare)
        self.pid = self.process.pid

    def poll(self):
        """The exit code; None: it runs."""
        code = self.process.poll()
        if code is not None and self.ended is None:
            self.ended = time.monotonic()
        return code

    def send(self, number):
        """Sends a signal; False: the process is not there any more."""
        if self.poll() is not None:
            return False
        self.harm.append((time.monotonic(), number))
        self.process.send_signal(number)
        return True

    def was_sent(self, *numbers):
        return any(number in numbers for _, number in self.harm)

    def text(self, kind):
        path = self.paths[("out", "err").index(kind)]
        with open(path, errors="replace") as file:
            return file.read()


def _stat(pid):
    """State and parent of a process; None: there is none."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return fields[0], int(fields[1])
    except OSError:
        return None


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read().replace("\0", " ").strip()
    except OSError:
        return ""


def children_of(parent):
    """The living processes that have this parent."""
    found = []
    for name in os.listdir("/proc"):
        stat = _stat(name) if name.isdigit() else None
        if stat and stat[1] == parent and stat[0] != "Z":
            found.append(int(name))
    return sorted(found)


def servers_of(parent):
    """The servers that a graphc-run has started, by task ("ps:0")."""
    servers = {}
    for pid in children_of(parent):
        words = dict(word[2:].split("=", 1) for word in command_of(pid).split()
                     if word.startswith("--") and "=" in word)
        if "job" in words and "task" in words:
            servers[f"{words['job']}:{words['task']}"] = pid
    return servers


def wait_for_end(programs, seconds):
    """Waits until all have ended, at most so long; those that have not."""
    end = time.monotonic() + seconds
    left = list(programs)
    while True:
        left = [program for program in left if program.poll() is None]
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.01)
