# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Network namespaces: each task on a machine of its own, as far as TCP can tell,
# on a bridge in the namespace of the clients. A link that is held loses all
# packets, and nobody is told. All of it is gone with the processes that hold it.
import os
import subprocess

from processes import LIBC, PR_SET_PDEATHSIG, enter_network


def _run(*words):
    subprocess.run(words, check=True, capture_output=True, timeout=10)


def are_allowed():
    """Whether this process may make them; tried in a child."""
    child = os.fork()
    if child == 0:
        try:
            enter_network(None)
            _run("ip", "link", "add", "bridge0", "type", "bridge")
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


class Namespaces:
    """Moves this process into a new namespace, which is that of the clients."""

    kind = "namespaces"
    host_flags = ("--insecure",)  # addresses are not those of this machine
    PORT = 2222

    def __init__(self, tasks):
        enter_network(None)
        self.numbers = {task: i + 1 for i, task in enumerate(sorted(tasks))}
        self.holders = {}
        for words in (["link", "add", "bridge0", "type", "bridge"],
                      ["addr", "add", "10.77.0.254/24", "dev", "bridge0"],
                      ["link", "set", "bridge0", "up"],
                      ["link", "set", "lo", "up"]):
            _run("ip", *words)
        for task in tasks:
            self._attach(task)

    def _attach(self, task):
        number = self.numbers[task]

        def prepare():
            LIBC.prctl(PR_SET_PDEATHSIG, 9)
            enter_network(None)
        holder = subprocess.Popen(["sleep", "1000"], preexec_fn=prepare)
        self.holders[task] = holder
        _run("ip", "link", "add", f"task{number}", "type", "veth", "peer",
             "name", "eth0", "netns", str(holder.pid))
        _run("ip", "link", "set", f"task{number}", "master", "bridge0", "up")
        for words in (["addr", "add", f"10.77.0.{number}/24", "dev", "eth0"],
                      ["link", "set", "eth0", "up"],
                      ["link", "set", "lo", "up"]):
            _run("nsenter", "-t", str(holder.pid), "-n", "ip", *words)

    def address(self, task):
        return f"10.77.0.{self.numbers[task]}:{self.PORT}"

    door = address  # a client that loses a task for a moment goes on

    def network(self, task):
        return f"/proc/{self.holders[task].pid}/ns/net"

    def hold(self, task, is_held):
        _run("ip", "link", "set", f"task{self.numbers[task]}",
             "down" if is_held else "up")

    def limit(self, task, rate):
        """So many bytes per second towards the task; 0: any."""
        device = f"task{self.numbers[task]}"
        subprocess.run(["tc", "qdisc", "del", "dev", device, "root"],
                       capture_output=True, timeout=10, check=False)
        if rate:
            _run("tc", "qdisc", "add", "dev", device, "root", "tbf", "rate",
                 f"{rate * 8}bit", "burst", "16kb", "latency", "500ms")

    def cut(self, task):
        """Connections cannot be cut here; the link fails for a moment."""
        self.hold(task, True)
        self.hold(task, False)

    def close(self):
        for holder in self.holders.values():
            holder.kill()
            holder.wait()
