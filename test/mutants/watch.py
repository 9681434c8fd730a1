# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs commands of which nothing is known: they may hang, eat memory, fill a disk
# or leave processes behind.
import collections
import ctypes
import fcntl
import os
import resource
import signal
import subprocess
import sys
import time

GIB = 1 << 30
PR_SET_CHILD_SUBREAPER = 36
Done = collections.namedtuple("Done", "code output seconds")
limits = {"cpu": 600}  # seconds of a process
held = []


def lock(folder):
    """Two runs in one folder would judge each other's mutants."""
    os.makedirs(folder, exist_ok=True)
    held.append(os.open(folder, os.O_RDONLY))
    try:
        fcntl.flock(held[-1], fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"plant.py: another run uses '{folder}'; wait for it, or give "
                 "another --build")


def adopt_orphans():
    """From now on what children leave behind is a child of this process."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def limit():
    """For a child: a session of its own, and no more than a test needs."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (limits["cpu"], limits["cpu"]))
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * GIB, 4 * GIB))
    resource.setrlimit(resource.RLIMIT_DATA, (8 * GIB, 8 * GIB))


def descendants():
    """The processes below this one."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rsplit(")")[-1]
                                             .split()[1])
            except (OSError, ValueError):
                pass  # it has ended
    below = {os.getpid()}
    while True:
        more = {p for p, parent in parents.items() if parent in below} - below
        if not more:
            return below - {os.getpid()}
        below |= more


def clear():
    """Ends all that is left below this process."""
    for _ in range(50):
        left = descendants()
        if not left:
            return
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.02)


def run_watched(command, seconds):
    """Runs a command for at most `seconds`; code None: it did not end."""
    start = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, errors="replace",
                          preexec_fn=limit) as child:
        try:
            output, _ = child.communicate(timeout=seconds)
            code = child.returncode
        except subprocess.TimeoutExpired:
            child.kill()
            clear()
            output, code = "", None
        except BaseException:
            child.kill()
            clear()
            raise
    clear()
    return Done(code, output, time.monotonic() - start)
