# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What happens in a run, drawn from its seed alone: the plan, who comes when, and
# the faults. A schedule can lose single events and still be played.
import dataclasses
import random

from programs import WORKERS, tasks_of

MODES = ("in-graph", "ring", "async", "staleness", "quorum", "data",
         "checkpoint", "visitors", "spawn", "network", "disk")
SYNCHRONOUS = ("towers", "ring")  # plans whose weights are always the same
STEPS = 100
STALL = 4  # seconds, of all clients but those that a long stop is for
# So short a stop or silence is none for the user: nothing may fail by it.
MOST_MILD = 0.8
LONG = 14  # seconds; a peer is lost after 12
PLANS = {"in-graph": "towers", "ring": "ring", "async": "async",
         "staleness": "stale", "quorum": "quorum"}


@dataclasses.dataclass
class Visit:
    """A client: when it comes and what it does."""
    name: str
    at: float = 0.0  # seconds after the start
    after: str = ""  # or when this client has ended
    graph: str = "train"
    worker: int = -1  # -1: the plan's only form
    steps: int = STEPS
    recovers: bool = False
    saves: bool = False
    deadline: int = 0  # 0: the schedule's

    def text(self):
        when = f"after {self.after}" if self.after else f"at {self.at:.2f} s"
        worker = f" as worker {self.worker}" if self.worker >= 0 else ""
        rest = ", recovers" if self.recovers else ""
        return (f"{when} client {self.name} comes: {self.graph}{worker},"
                f" {self.steps} steps{rest}")


@dataclasses.dataclass
class Fault:
    """Something that happens to a task ("ps:0") or to a client, by its name."""
    at: float
    what: str  # kill, end, stop, interrupt, cut, hold, limit, fill
    whom: str
    seconds: float = 0.0  # kill, end: until it starts again, -1: never

    def is_mild(self):
        """Whether nobody may fail by it."""
        if self.what == "fill":
            return False
        if self.what in ("stop", "hold"):
            return self.seconds <= MOST_MILD
        return self.what in ("cut", "limit")

    def text(self):
        rest = f" for {self.seconds:.2f} s"
        if self.what in ("kill", "end"):
            rest = (f", started again after {self.seconds:.2f} s"
                    if self.seconds >= 0 else "")
        elif self.what in ("cut", "interrupt"):
            rest = ""
        return f"at {self.at:.2f} s {self.what} {self.whom}{rest}"


@dataclasses.dataclass
class Schedule:
    seed: int
    mode: str
    plan: str = "towers"
    has_data: bool = False
    spawns: bool = False
    has_links: bool = False  # tasks are reached through links that may be harmed
    has_disk: bool = False  # files are written to a small disk, "disk"
    stall: int = STALL
    deadline: int = 15
    visits: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)

    def tasks(self):
        return sorted(f"{job}:{i}" for job, count in tasks_of(self.plan).items()
                      for i in range(count))

    def victims(self):
        """All that faults can be about, but for clients."""
        return [*self.tasks(), "disk"]

    def is_synchronous(self):
        return self.plan in SYNCHRONOUS

    def events(self):
        return [*self.visits, *self.faults]

    def keep(self, numbers):
        """The same with these events alone."""
        kept = [event for i, event in enumerate(self.events()) if i in numbers]
        visits = [event for event in kept if isinstance(event, Visit)]
        names = {visit.name for visit in visits} | set(self.victims())
        return dataclasses.replace(
            self,
            visits=[visit if visit.after in names
                    else dataclasses.replace(visit, after="")
                    for visit in visits],
            faults=[event for event in kept
                    if isinstance(event, Fault) and event.whom in names])


def mode_of(seed):
    return MODES[seed % len(MODES)]


def draw(seed):
    """The schedule of a seed."""
    chance = random.Random(seed)
    mode = mode_of(seed)
    schedule = Schedule(seed, mode)
    schedule.plan = PLANS.get(mode) or chance.choice(sorted(WORKERS))
    schedule.has_data = mode == "data" or chance.random() < 0.3
    {"data": _draw_data, "checkpoint": _draw_checkpoint,
     "visitors": _draw_visitors, "spawn": _draw_spawn,
     "network": _draw_network, "disk": _draw_disk}.get(mode, _draw_plain)(chance, schedule)
    schedule.faults.sort(key=lambda fault: fault.at)
    if any(fault.what == "kill" and fault.seconds < 0
           and fault.whom in schedule.tasks() for fault in schedule.faults
           ) and not schedule.spawns:
        schedule.deadline = 6  # later clients wait for the dead one
    return schedule


def _add_trainers(chance, schedule):
    """One client, or one per worker."""
    if schedule.is_synchronous():
        schedule.visits.append(Visit("a"))
        return
    for worker in range(WORKERS[schedule.plan]):
        schedule.visits.append(Visit(f"a{worker}", chance.uniform(0, 0.2),
                                     worker=worker))


def _add_next(schedule, **more):
    """For each client another one, when it has ended."""
    for visit in list(schedule.visits):
        schedule.visits.append(dataclasses.replace(
            visit, name=visit.name.replace("a", "b"), after=visit.name,
            at=0.0, **more))


def _moment(chance):
    return chance.uniform(0.1, 1.2)


def _mild(chance, whom):
    return Fault(_moment(chance), "stop", whom, chance.uniform(0.02, MOST_MILD))


def _restart(chance, whom):
    return Fault(_moment(chance), chance.choice(("kill", "kill", "end")), whom,
                 chance.uniform(0.0, 0.8))


def _harsh(chance, whom):
    kind = chance.randrange(4)
    if kind < 2:
        return _restart(chance, whom)
    if kind == 2:
        return Fault(_moment(chance), "kill", whom, -1)
    return Fault(_moment(chance), "stop", whom, STALL + 2.0)


def _against_client(chance, name):
    what = chance.choice(("kill", "interrupt", "stop"))
    seconds = chance.uniform(0.02, MOST_MILD) if what == "stop" else -1
    return Fault(_moment(chance), what, name, seconds)


def _draw_plain(chance, schedule):
    _add_trainers(chance, schedule)
    if chance.random() < 0.6:
        _add_next(schedule)
    for _ in range(chance.choice((1, 1, 2, 3))):
        kind = chance.random()
        if kind < 0.4:
            fault = _mild(chance, chance.choice(schedule.tasks()))
        elif kind < 0.8:
            fault = _harsh(chance, chance.choice(schedule.tasks()))
        else:
            fault = _against_client(chance, schedule.visits[0].name)
        schedule.faults.append(fault)
    if chance.random() < 0.15:  # the silence of a machine, without a stall
        schedule.stall, schedule.deadline = 30, 20
        schedule.faults = [Fault(_moment(chance), "stop",
                                 chance.choice(schedule.tasks()), LONG)]


def _draw_data(chance, schedule):
    """Two trainings, one after the other, that nothing ends."""
    _add_trainers(chance, schedule)
    _add_next(schedule, saves=schedule.is_synchronous())
    for _ in range(chance.randrange(4)):
        schedule.faults.append(_mild(chance, chance.choice(schedule.tasks())))


def _draw_checkpoint(chance, schedule):
    """Tasks come back, and the run goes on."""
    schedule.deadline = 25
    _add_trainers(chance, schedule)
    for visit in schedule.visits:
        visit.recovers = True
        visit.steps = 2 * STEPS
    schedule.visits[0].saves = schedule.is_synchronous()
    for _ in range(chance.choice((1, 1, 2))):
        schedule.faults.append(_restart(chance, chance.choice(schedule.tasks())))
    if chance.random() < 0.3:
        schedule.faults.append(_mild(chance, chance.choice(schedule.tasks())))


def _draw_visitors(chance, schedule):
    """Clients that come and go, also two at once; the cluster itself is well."""
    _add_trainers(chance, schedule)
    _add_next(schedule)
    for i in range(chance.randrange(1, 5)):
        schedule.visits.append(Visit(f"look{i}", chance.uniform(0.6, 2.5),
                                     graph="look", steps=1))
    if schedule.is_synchronous() and chance.random() < 0.5:
        schedule.visits.append(Visit("c", chance.uniform(0.2, 1.0)))
    for visit in chance.sample(schedule.visits[:-1],
                               chance.randrange(0, 3)):
        if visit.graph == "train" and not visit.after:
            schedule.faults.append(_against_client(chance, visit.name))
    if chance.random() < 0.5:
        schedule.faults.append(_mild(chance, chance.choice(schedule.tasks())))


def _draw_spawn(chance, schedule):
    """graphc-run starts the servers itself, one client plays all workers."""
    schedule.spawns = True
    recovers = chance.random() < 0.7
    schedule.deadline = 25 if recovers else 15
    schedule.visits.append(Visit("a", steps=2 * STEPS, recovers=recovers,
                                 saves=schedule.is_synchronous()))
    kind = chance.random()
    if kind < 0.6:
        for _ in range(chance.choice((1, 1, 2))):
            schedule.faults.append(Fault(chance.uniform(0.1, 1.0), "kill",
                                         chance.choice(schedule.tasks()), -1))
    elif kind < 0.75:
        schedule.faults.append(Fault(_moment(chance), "stop",
                                     chance.choice(schedule.tasks()), LONG))
    else:
        schedule.faults.append(Fault(_moment(chance),
                                     chance.choice(("kill", "interrupt")), "a",
                                     -1))


def _draw_network(chance, schedule):
    """Links that fail for a moment change nothing."""
    schedule.has_links = True
    _add_trainers(chance, schedule)
    _add_next(schedule, saves=schedule.is_synchronous())
    for _ in range(chance.randrange(1, 5)):
        what = chance.choice(("cut", "cut", "hold", "limit"))
        seconds = {"cut": 0.0, "hold": chance.uniform(0.02, 0.5),
                   "limit": chance.uniform(0.2, 1.0)}[what]
        schedule.faults.append(Fault(_moment(chance), what,
                                     chance.choice(schedule.tasks()), seconds))
    if chance.random() < 0.2:
        schedule.faults.append(Fault(_moment(chance), "hold",
                                     chance.choice(schedule.tasks()), LONG))


def _draw_disk(chance, schedule):
    """The disk that checkpoints are written to is full for a while."""
    schedule.has_disk = True
    schedule.plan = chance.choice(SYNCHRONOUS)
    schedule.visits.append(Visit("a", steps=2 * STEPS, recovers=True,
                                 saves=True))
    schedule.faults.append(Fault(chance.uniform(0.0, 1.2), "fill", "disk",
                                 chance.uniform(0.05, 2.0)))
    if chance.random() < 0.5:
        schedule.faults.append(_restart(chance, chance.choice(schedule.tasks())))
