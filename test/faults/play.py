# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Plays a schedule on real processes and records what happened, for rules.py.
import dataclasses
import json
import os
import re
import signal
import struct
import subprocess
import time

import processes
from disk import Disk, read_counters
from links import Links
from namespaces import Namespaces
from programs import COUNTERS, tasks_of
from processes import Program
from schedule import Visit

RATE = 100_000  # bytes per second of a limited link
SETTLE = 8.0  # seconds that servers have to end, and clients after a deadline
SIGNALS = {"kill": signal.SIGKILL, "end": signal.SIGTERM,
           "stop": signal.SIGSTOP, "interrupt": signal.SIGINT}
ROW = re.compile(r"(?:worker (\d+): )?step (\d+): gstep = (\S+?), w = (\S+?),"
                 r" u = (\S+?)(?:,|$)", re.M)


@dataclasses.dataclass
class Record:
    """What a run was."""
    schedule: object
    timeline: list = dataclasses.field(default_factory=list)
    clients: dict = dataclasses.field(default_factory=dict)  # name: Program
    servers: list = dataclasses.field(default_factory=list)  # (task, Program)
    happened: list = dataclasses.field(default_factory=list)  # (time, Fault)
    hung: dict = dataclasses.field(default_factory=dict)  # client: why stuck
    slow_ends: list = dataclasses.field(default_factory=list)  # servers
    final: dict = None  # the counters when all was over
    left: list = dataclasses.field(default_factory=list)
    saved: dict = dataclasses.field(default_factory=dict)  # client: bytes
    checkpoint: dict = None  # its counters; {}: there is one, and it is damaged
    began: float = 0.0

    def note(self, text):
        self.timeline.append((time.monotonic() - self.began, text))


def rows_of(program):
    """The counters that a client printed: (step, {name: number}) by worker."""
    rows = {}
    for worker, step, *numbers in ROW.findall(program.text("out")):
        values = {name: float(number)
                  for name, number in zip(COUNTERS, numbers)}
        rows.setdefault(worker, []).append((int(step), values))
    return rows


class Stage:
    """One run."""

    def __init__(self, schedule, programs, folder, has_namespaces):
        self.schedule = schedule
        self.programs = programs
        self.folder = folder
        self.record = Record(schedule)
        self.running = {}  # task: Program
        self.due = []  # (time, what to do), undone faults
        self.temporary = f"{folder}/tmp"
        os.makedirs(self.temporary)
        self.disk = Disk(f"{folder}/disk") if schedule.has_disk else None
        self.checkpoint = f"{folder}/{'disk/' if self.disk else ''}checkpoint"
        self.links = None
        if schedule.has_links:
            kind = Namespaces if has_namespaces else Links
            self.links = kind(schedule.tasks())

    # Servers

    def _addresses(self, is_client=False):
        jobs = {}
        for task in self.schedule.tasks():
            address = f"unix:{self.folder}/{task.replace(':', '-')}"
            if self.links:
                find = self.links.door if is_client else self.links.address
                address = find(task)
            jobs.setdefault(task.split(":")[0], []).append(address)
        return jobs

    def _start_server(self, task):
        job, index = task.split(":")
        times = sum(other == task for other, _ in self.record.servers)
        name = f"{job}-{index}" + (f".{times + 1}" if times else "")
        command = ["graphc-server", "--cluster=" + json.dumps(self._addresses()),
                   f"--job={job}", f"--task={index}", "--threads=1"]
        network = None
        if self.links:
            command += ["--route=grpc", *self.links.host_flags]
            network = self.links.network(task)
        port_file = f"{self.folder}/{name}.port"
        if self.links and self.links.kind == "proxy":
            command += ["--bind=127.0.0.1:0", f"--port-file={port_file}"]
        program = Program(self.folder, name, command, network, self._environment())
        self.record.servers.append((task, program))
        self.running[task] = program
        if self.links and self.links.kind == "proxy":
            self._find_port(task, port_file)

    def _find_port(self, task, port_file):
        def look():
            try:
                with open(port_file) as file:
                    self.links.set_port(task, int(file.read()))
            except (OSError, ValueError):
                self._later(0.01, look)
        look()

    def _environment(self):
        return {**os.environ, "TMPDIR": self.temporary}

    # Clients

    def _start_client(self, visit):
        schedule = self.schedule
        command = ["graphc-run",
                   self.programs.model(schedule.plan, schedule.has_data),
                   f"--graph={visit.graph}", f"--steps={visit.steps}",
                   f"--stall={schedule.stall}",
                   f"--deadline={visit.deadline or schedule.deadline}"]
        if schedule.spawns:
            command.append(self._spawn_flag())
        else:
            command.append("--cluster=" + json.dumps(self._addresses(True)))
        if visit.graph == "train":
            command += ["--print-every=5",
                        *self.programs.data_flags(schedule.has_data)]
        else:
            command.append("--no-chief")
        if visit.worker >= 0:
            command.append(f"--worker={visit.worker}")
        if visit.recovers:
            command.append("--recover=5")
        if visit.recovers and visit.worker <= 0:  # the chief
            command += ["--checkpoint-every=20",
                        f"--checkpoint={self.checkpoint}"]
        if visit.saves:
            command.append(f"--save={self.folder}/{visit.name}.saved")
        self.record.note(f"client {visit.name} comes")
        self.record.clients[visit.name] = Program(
            self.folder, visit.name, command, None, self._environment())

    def _spawn_flag(self):
        jobs = tasks_of(self.schedule.plan)
        return "--spawn=" + ",".join(f"{job}:{count}"
                                     for job, count in sorted(jobs.items()))

    # Faults

    def _later(self, seconds, action):
        self.due.append((time.monotonic() + seconds, action))

    def _begin(self, fault):
        """The fault happens, if what it harms is there."""
        if fault.what in ("cut", "hold", "limit"):
            self._harm_link(fault)
        elif fault.what == "fill":
            self._fill_disk(fault)
        elif not self._harm_process(fault):
            self.record.note(f"{fault.whom} is not there to {fault.what}")
            return
        self.record.happened.append((time.monotonic(), fault))
        self.record.note(fault.text().split(" s ", 1)[1])

    def _harm_link(self, fault):
        if fault.what == "cut":
            self.links.cut(fault.whom)
            return
        end = self.links.hold if fault.what == "hold" else self.links.limit
        end(fault.whom, True if fault.what == "hold" else RATE)

        def undo():
            end(fault.whom, False if fault.what == "hold" else 0)
            self.record.note(f"{fault.what} of {fault.whom} is over")
        self._later(fault.seconds, undo)

    def _fill_disk(self, fault):
        def undo():
            self.disk.fill(False)
            self.record.note("the disk has room again")
        if self.disk.fill(True):
            self._later(fault.seconds, undo)

    def _harm_process(self, fault):
        if fault.whom in self.record.clients:
            target = self.record.clients[fault.whom]
        elif self.schedule.spawns:
            return self._harm_spawned(fault)
        else:
            target = self.running.get(fault.whom)
        if not target or not target.send(SIGNALS[fault.what]):
            return False
        if fault.what == "stop":
            self._later(fault.seconds, lambda: self._go_on(fault.whom, target))
        elif fault.whom in self.running and fault.seconds >= 0:
            self._later(fault.seconds, lambda: self._restart(fault.whom))
        return True

    def _harm_spawned(self, fault):
        for client in self.record.clients.values():
            pid = processes.servers_of(client.pid).get(fault.whom)
            if pid and client.poll() is None:
                os.kill(pid, SIGNALS[fault.what])
                if fault.what == "stop":
                    self._later(fault.seconds, lambda: _continue(pid))
                return True
        return False

    def _go_on(self, name, target):
        if target.send(signal.SIGCONT):
            self.record.note(f"{name} goes on")

    def _restart(self, task):
        if self.running[task].poll() is None:
            self._later(0.01, lambda: self._restart(task))
            return
        self._start_server(task)
        self.record.note(f"{task} starts again")

    # The run

    def play(self):
        self.record.began = time.monotonic()
        if not self.schedule.spawns:
            for task in self.schedule.tasks():
                self._start_server(task)
        waiting = list(self.schedule.visits)
        faults = list(self.schedule.faults)
        while waiting or any(c.poll() is None
                             for c in self.record.clients.values()):
            now = time.monotonic() - self.record.began
            for visit in [v for v in waiting if self._is_due(v, now)]:
                waiting.remove(visit)
                self._start_client(visit)
            while faults and faults[0].at <= now:
                self._begin(faults.pop(0))
            self._do_due()
            self._note_ends()
            self._find_hung()
            time.sleep(0.005)
        self._finish()
        return self.record

    def _is_due(self, visit, now):
        if not visit.after:
            return visit.at <= now
        before = self.record.clients.get(visit.after)
        return before is not None and before.poll() is not None

    def _do_due(self):
        now = time.monotonic()
        ready = [action for when, action in self.due if when <= now]
        self.due = [(when, action) for when, action in self.due if when > now]
        for action in ready:
            action()

    def _note_ends(self):
        everybody = [*self.record.servers, *self.record.clients.items()]
        for name, program in everybody:
            if not program.ended and program.poll() is not None:
                self.record.note(f"{name} ends with {program.poll()}")

    def _find_hung(self):
        """Each call has the deadline; a client makes a handful of them."""
        most = 2 * self.schedule.deadline + SETTLE
        for name, client in self.record.clients.items():
            if client.poll() is None and time.monotonic() - client.began > most:
                self.record.hung[name] = self._why_stuck()
                self.record.note(f"client {name} hangs")
                client.process.kill()
                client.process.wait()

    def _why_stuck(self):
        if self.schedule.spawns:
            return ""
        address = next(iter(self._addresses(True).values()))[0]
        try:
            done = subprocess.run(["graphc-run", f"--why-stuck={address}"],
                                  capture_output=True, text=True, timeout=20,
                                  check=False)
            return done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            return "--why-stuck hangs, too"

    # The end

    def _finish(self):
        for task, program in self.record.servers:
            if program.poll() is None and program.was_sent(signal.SIGSTOP):
                program.process.send_signal(signal.SIGCONT)
        end = time.monotonic() + 3
        while self.due and time.monotonic() < end:  # links get well, tasks start
            self._do_due()
            time.sleep(0.01)
        if not self.schedule.spawns:
            self._look()
            self._stop_servers()
        if self.links:
            self.links.close()
        self._read_results()
        self._find_left()

    def _look(self):
        """The counters that all is over with; none where state was lost."""
        lost = any(fault.what in ("kill", "end") and fault.whom in self.running
                   for _, fault in self.record.happened)
        if lost or any(p.poll() is not None for p in self.running.values()):
            return
        visit = Visit("final", graph="look", steps=1, deadline=5)
        self._start_client(visit)
        client = self.record.clients["final"]
        if processes.wait_for_end([client], self.schedule.deadline + SETTLE):
            self.record.hung["final"] = self._why_stuck()
            client.process.kill()
            client.process.wait()
        rows = rows_of(client).get("", [])
        self.record.final = rows[-1][1] if rows else None

    def _stop_servers(self):
        self._note_ends()
        for program in self.running.values():
            program.send(signal.SIGTERM)
        for program in processes.wait_for_end(self.running.values(), SETTLE):
            self.record.slow_ends.append(program.name)
            program.process.kill()
            program.process.wait()

    def _read_results(self):
        for visit in self.schedule.visits:
            saved = f"{self.folder}/{visit.name}.saved"
            if os.path.exists(saved):
                with open(saved, "rb") as file:
                    self.record.saved[visit.name] = file.read()
        if os.path.exists(self.checkpoint):
            try:
                self.record.checkpoint = read_counters(
                    self.checkpoint, ("global_step", "w", "u"))
            except (OSError, ValueError, KeyError, struct.error):
                self.record.checkpoint = {}
        if self.disk:
            self.disk.close()

    def _find_left(self):
        """What nobody cleaned up: processes, sockets, temporary files."""
        end = time.monotonic() + 3
        while (children := processes.children_of(os.getpid())) and (
                time.monotonic() < end):
            time.sleep(0.02)
        for pid in children:
            self.record.left.append(f"process {processes.command_of(pid)}")
            os.kill(pid, signal.SIGKILL)
        self._clean_after_kill()
        self.record.left += [f"in the temporary folder: {name}"
                             for name in os.listdir(self.temporary)]
        killed = {task.replace(":", "-") for task, program
                  in self.record.servers if program.poll() != 0}
        for task in self.schedule.tasks():
            name = task.replace(":", "-")
            if name not in killed and os.path.exists(f"{self.folder}/{name}"):
                self.record.left.append(f"socket {name}")
        pids = {str(p.pid) for _, p in self.record.servers}
        with open("/proc/net/unix") as file:
            for line in file:
                match = re.search(r"@graphc-(\d+)-", line)
                if match and match.group(1) in pids:
                    self.record.left.append(f"socket {line.split()[-1]}")
        self.record.left += [f"/dev/shm/{name}" for name in os.listdir("/dev/shm")
                             if any(pid in name for pid in pids)]


    def _clean_after_kill(self):
        """The folder of a graphc-run that was killed is removed by the next."""
        if self.schedule.spawns and os.listdir(self.temporary):
            subprocess.run(
                ["graphc-run", self.programs.model(self.schedule.plan, False),
                 self._spawn_flag(), "--graph=look", "--steps=1", "--quiet"],
                env=self._environment(), capture_output=True, timeout=60,
                check=False)


def _continue(pid):
    try:
        os.kill(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass
