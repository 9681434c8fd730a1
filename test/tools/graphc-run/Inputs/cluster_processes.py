# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Servers and clients as processes that tests may harm, and a proxy that cuts their
# connections. Everything that was started ends with the test.
import ctypes
import json
import os
import random
import select
import signal
import socket
import subprocess
import threading
import time

PR_SET_PDEATHSIG = 1


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def wait_until(condition, seconds, what):
    """Waits for a condition, at most so long."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.005)


class Cluster:
    """graphc-server processes, one per task, on unix sockets or, with
    `proxies`, on TCP ports behind a proxy each."""

    def __init__(self, folder, jobs, flags=(), proxies=False):
        self.folder = folder
        self.flags = list(flags)
        self.tasks = [(job, index) for job in sorted(jobs)
                      for index in range(jobs[job])]
        self.processes = {}
        self.proxies = {}
        addresses = {}
        for job, index in self.tasks:
            if proxies:
                self.proxies[job, index] = Proxy()
                address = f"127.0.0.1:{self.proxies[job, index].port}"
            else:
                address = f"unix:{folder}/{job}-{index}"
            addresses.setdefault(job, []).append(address)
        self.addresses = addresses
        self.ports = {}
        for task in self.tasks:
            self.start(task)
        if proxies:
            for task in self.tasks:
                self.ports[task] = self.read_port(task)
                self.proxies[task].target = self.ports[task]

    def log_name(self, task):
        return f"{self.folder}/{task[0]}-{task[1]}.log"

    def start(self, task):
        command = ["graphc-server", "--cluster=" + json.dumps(self.addresses),
                   f"--job={task[0]}", f"--task={task[1]}", "--threads=1",
                   *self.flags]
        if self.proxies:
            port_file = f"{self.folder}/{task[0]}-{task[1]}.port"
            if os.path.exists(port_file):
                os.remove(port_file)
            command += ["--bind=127.0.0.1:0", f"--port-file={port_file}"]
        with open(self.log_name(task), "ab") as log:
            self.processes[task] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=die_with_parent)

    def read_port(self, task):
        name = f"{self.folder}/{task[0]}-{task[1]}.port"

        def has_port():
            return os.path.exists(name) and open(name).read().strip()
        wait_until(has_port, 10, f"port of {task}")
        return int(open(name).read())

    def direct(self):
        """The cluster for clients: past the proxies."""
        if not self.proxies:
            return json.dumps(self.addresses)
        return json.dumps({
            job: [f"127.0.0.1:{self.ports[job, index]}"
                  for index in range(len(self.addresses[job]))]
            for job in self.addresses})

    def target(self, task):
        return self.addresses[task[0]][task[1]]

    def send(self, task, number):
        self.processes[task].send_signal(number)

    def is_running(self, task):
        return self.processes[task].poll() is None

    def log(self, task):
        with open(self.log_name(task), errors="replace") as log:
            return log.read()

    def stop(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
        for process in self.processes.values():
            process.wait()
        for proxy in self.proxies.values():
            proxy.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Client:
    """A graphc-run in the background."""

    def __init__(self, folder, name, arguments):
        self.out_name = f"{folder}/{name}.out"
        self.err_name = f"{folder}/{name}.err"
        with open(self.out_name, "wb") as out, open(self.err_name, "wb") as err:
            self.process = subprocess.Popen(
                ["graphc-run", *arguments], stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, preexec_fn=die_with_parent)

    def output(self):
        with open(self.out_name, errors="replace") as out:
            return out.read()

    def errors(self):
        with open(self.err_name, errors="replace") as err:
            return err.read()

    def wait_for_steps(self, seconds=20):
        def has_steps():
            if self.process.poll() is not None:
                raise AssertionError("graphc-run ended early: " + self.errors())
            return self.output().count("\n") >= 2
        wait_until(has_steps, seconds, "the first steps")

    def wait(self, seconds):
        """Exit code and seconds that it took."""
        begin = time.monotonic()
        try:
            code = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(
                f"graphc-run did not end within {seconds} s: {self.errors()}")
        return code, time.monotonic() - begin


class Proxy:
    """Forwards TCP connections to a port, until told to cut them all."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.target = None
        self.lock = threading.Lock()
        self.pairs = []
        self.bytes = 0
        self.is_open = True
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while self.is_open:
            try:
                inner, _ = self.listener.accept()
            except OSError:
                return
            try:
                outer = socket.create_connection(("127.0.0.1", self.target), 5)
            except (OSError, TypeError):
                inner.close()
                continue
            for one in (inner, outer):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.pairs.append((inner, outer))
            threading.Thread(target=self.forward, args=(inner, outer),
                             daemon=True).start()

    def forward(self, inner, outer):
        other = {inner: outer, outer: inner}
        try:
            while True:
                ready, _, _ = select.select([inner, outer], [], [])
                for one in ready:
                    data = one.recv(1 << 18)
                    if not data:
                        return
                    other[one].sendall(data)
                    self.bytes += len(data)
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                if (inner, outer) in self.pairs:
                    self.pairs.remove((inner, outer))
            for one in (inner, outer):
                one.close()

    def cut(self):
        """Cuts all connections; how many there were."""
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            for one in pair:
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
        return len(pairs)

    def close(self):
        self.is_open = False
        self.listener.close()
        self.cut()


def cut_at_random(cluster, seed, is_over, most):
    """Cuts a connection that carries data, waits until data flow again, and so
    on; how many cuts."""
    chance = random.Random(seed)
    proxies = list(cluster.proxies.values())
    cuts = 0
    while not is_over() and cuts < most:
        before = sum(proxy.bytes for proxy in proxies)
        end = time.monotonic() + chance.uniform(0.001, 0.012)
        while time.monotonic() < end and not is_over():
            time.sleep(0.001)
        if sum(proxy.bytes for proxy in proxies) == before:
            continue
        cuts += chance.choice([p for p in proxies if p.pairs] or proxies).cut() > 0
    return cuts
