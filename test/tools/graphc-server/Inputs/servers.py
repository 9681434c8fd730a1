# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# servers.py SCENARIO FOLDER: starts graphc-server processes at unix sockets or
# ports of their own, and prints what they do, in an order that does not change.
import json
import os
import signal
import subprocess
import sys
import time

LIMIT = 30  # seconds that anything may take
FOLDER = sys.argv[-1]


class Server:
    """A graphc-server; its stderr lands in a file."""

    def __init__(self, name, *flags):
        self.name = name
        self.log = os.path.join(FOLDER, name + ".log")
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(["graphc-server", *flags],
                                            stdout=subprocess.PIPE, stderr=log,
                                            text=True)

    def listening(self):
        """The address, as the server prints it."""
        return self.process.stdout.readline().strip()

    def text(self):
        with open(self.log, encoding="utf-8") as log:
            return log.read()

    def wait_for(self, text):
        """Until the log has the text."""
        end = time.monotonic() + LIMIT
        while text not in self.text():
            if time.monotonic() > end or self.process.poll() is not None:
                sys.exit(f"{self.name} never says '{text}':\n{self.text()}")
            time.sleep(0.01)

    def end(self, number=signal.SIGTERM):
        """Sends a signal; the exit code."""
        self.process.send_signal(number)
        return self.process.wait(LIMIT)


def cluster(workers):
    return json.dumps({"worker": [f"unix:{FOLDER}/{i}"
                                  for i in range(workers)]})


def start(index, workers, *flags):
    return Server(f"worker{index}", f"--cluster={cluster(workers)}",
                  "--job=worker", f"--task={index}", "--threads=1", *flags)


def any_order(servers):
    """Three tasks find each other, whoever comes first."""
    for order in ((0, 1, 2), (2, 1, 0)):
        begin = time.monotonic()
        for index in order:
            servers[index] = start(index, 3)
        for index in order:
            servers[index].wait_for("ready: all 3 tasks are connected")
        took = time.monotonic() - begin
        print("ready", order, "in time" if took < 5 else f"late: {took:.1f} s")
        for index in order:
            print("worker", index, "ends with", servers[index].end())


def waiting(servers):
    """The tasks that are awaited are named, once each time they change."""
    servers[1] = start(1, 3)
    servers[1].wait_for("waits for /job:worker/task:0, /job:worker/task:2")
    servers[0] = start(0, 3)
    servers[1].wait_for("waits for /job:worker/task:2\n")
    servers[2] = start(2, 3)
    servers[1].wait_for("ready: all 3 tasks are connected")
    servers[2].end(signal.SIGKILL)
    end = time.monotonic() + LIMIT
    while (servers[1].text().count("waits for /job:worker/task:2\n") < 2
           and time.monotonic() < end):
        time.sleep(0.01)
    servers[2] = start(2, 3)
    while servers[1].text().count("ready:") < 2 and time.monotonic() < end:
        time.sleep(0.01)
    print(servers[1].text(), end="")


def signals(servers):
    for number in (signal.SIGTERM, signal.SIGINT):
        servers[0] = start(0, 1)
        print(servers[0].listening().replace(FOLDER, "DIR"))
        print(number.name, "ends it with", servers[0].end(number))
        print(servers[0].text(), end="")


def taken(servers):
    servers[0] = Server("first", "--bind=localhost:0",
                        f"--port-file={FOLDER}/port")
    address = servers[0].listening()
    with open(f"{FOLDER}/port", encoding="utf-8") as file:
        port = file.read().strip()
    print("port file", "agrees" if address.endswith(":" + port) else port)
    servers[1] = Server("second", f"--bind=localhost:{port}")
    print("second exits with", servers[1].process.wait(LIMIT))
    print(servers[1].text().replace(port, "PORT"), end="")
    servers[2] = start(0, 1)
    servers[2].listening()
    twin = start(0, 1)
    print("third exits with", twin.process.wait(LIMIT))
    print(twin.text().replace(FOLDER, "DIR"), end="")


def twice(servers):
    """Two servers claim one task."""
    servers[0], servers[1] = start(0, 2), start(1, 2)
    servers[1].wait_for("ready")
    servers[0].wait_for("ready")
    servers[2] = start(0, 2, f"--bind=unix:{FOLDER}/twin")
    servers[2].wait_for("another process claims to be /job:worker/task:0")
    print(servers[2].text(), end="")


def idle(servers):
    servers[0] = start(0, 1, "--idle-exit=1")
    print("exits with", servers[0].process.wait(LIMIT))
    print(servers[0].text(), end="")


def run_scenario(scenarios):
    """The one that the command line names; ends what it has started."""
    os.makedirs(FOLDER, exist_ok=True)
    servers = {}
    try:
        scenarios[sys.argv[1]](servers)
    finally:
        for server in servers.values():
            if server.process.poll() is None:
                server.process.kill()
            server.process.wait()


if __name__ == "__main__":
    run_scenario(globals())
