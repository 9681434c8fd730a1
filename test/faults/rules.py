# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What must hold of every run, whatever the faults were. Each rule yields what
# breaks it.
import re
import signal

from play import rows_of

# From docs/cluster.md, "When something breaks".
NOTICED_KILL = 3.0
NOTICED_STOP = 12.0
MARGIN = 5.0  # of a machine that does other things, too
ERROR = re.compile(r"error: (?:worker \d+: )?([A-Z_]{5,}): (.*)", re.S)
# A client that says this says that state is not what it was.
# A stall names what is waited for, which may wait itself; who waits for the chief
# or for a quorum waits for a client.
WAITS = re.compile(r"no progress for|the chief has not|gradients make an update")
# The chief went before there were values.
NO_CHIEF = re.compile(r"the chief has not given|for the chief to give")
# What a client is told whose moment is wrong, without any fault.
REFUSED = re.compile(r"gradients make an update|run by another client already")
SAYS_LOSS = re.compile(r"goes on from|goes on at|first values|checkpoint")


ENDED_WITHIN = re.compile(r"ended within a step, with the variables at /job:")
# A client that goes on from the checkpoint of a run that did not end.
DONE_BEFORE = re.compile(r", with (\d+) of its steps done")


def steps_of(visit, client):
    """The steps that the client has to do itself."""
    found = DONE_BEFORE.search(client.text("err"))
    return max(0, visit.steps - (int(found[1]) if found else 0))


def task_name(task):
    job, index = task.split(":")
    return f"/job:{job}/task:{index}"


def visit_of(record, name):
    return next(v for v in record.schedule.visits if v.name == name)


def clients(record):
    """The clients of the schedule that came, with what they were to do."""
    return [(visit_of(record, name), client)
            for name, client in record.clients.items() if name != "final"]


def was_ended(client):
    """By the test itself, without a chance to say anything."""
    return client.was_sent(signal.SIGKILL)


def harms_before(record, when):
    """The faults up to a time that may fail somebody."""
    return [fault for at, fault in record.happened
            if at <= when and not fault.is_mild()]


def may_fail(record, client):
    """The faults that explain the failure of this client: of tasks, of itself,
    and, where workers wait for each other, of other clients."""
    found = []
    for fault in harms_before(record, client.ended or client.began):
        is_other = fault.whom in record.clients and fault.whom != client.name
        waited = NO_CHIEF.search(client.text("err")) and fault.whom == "a0"
        if (is_other and not waited
                and record.schedule.plan not in ("quorum", "stale")):
            continue
        found.append(fault)
    return found


def check_ends(record):
    """Nothing hangs, nothing dies of itself, servers end when they are told."""
    for name, stuck in record.hung.items():
        yield f"client {name} hangs; --why-stuck: {stuck}"
    for visit, client in clients(record):
        code = client.poll()
        if visit.name in record.hung or was_ended(client):
            continue
        if code == -signal.SIGINT and client.was_sent(signal.SIGINT):
            continue  # before it was listening for signals
        if code not in (0, 1, 130):
            yield f"client {visit.name} ended with {code}"
        if code == 130 and not client.was_sent(signal.SIGINT):
            yield f"client {visit.name} ended with 130 without a signal"
    for task, server in record.servers:
        if server.was_sent(signal.SIGKILL):
            continue
        if server.name in record.slow_ends:
            yield f"the server {server.name} of {task} did not end at SIGTERM"
        elif server.poll() == -signal.SIGTERM and not server.text("out"):
            continue  # it had not begun
        elif server.poll() != 0:
            yield f"the server of {task} ended with {server.poll()}"


def check_causes(record):
    """A failure has a named cause, and a fault that explains it."""
    for visit, client in clients(record):
        if was_ended(client) or client.poll() != 1:
            continue
        errors = client.text("err")
        found = ERROR.search(errors)
        if not found:
            yield f"client {visit.name} failed without a cause"
            continue
        causes = may_fail(record, client)
        waits = WAITS.search(errors)
        if not causes and not REFUSED.search(errors):
            yield f"no fault explains why client {visit.name} failed"
        tasks = {fault.whom for fault in causes}
        known = [task_name(task) for task in tasks & set(record.schedule.tasks())]
        # Of a single harm the name is known; a restarted task has no values.
        if (len(tasks) == 1 and len(known) == 1 and known[0] not in errors
                and not waits and not REFUSED.search(errors)
                and "FAILED_PRECONDITION" not in errors):
            yield (f"client {visit.name} does not name {known[0]} as the cause:"
                   f" {found.group(0)}")


def check_times(record):
    """Failures come within the stated time after the fault."""
    for visit, client in clients(record):
        if was_ended(client) or client.poll() not in (1, 130):
            continue
        if visit.recovers or visit.name in record.hung:
            continue
        for at, fault in record.happened:
            if at < client.began or fault.is_mild():
                continue
            if fault.whom == visit.name:
                stated = NOTICED_KILL if fault.what == "interrupt" else None
            elif fault.whom in record.clients:
                stated = None
            elif fault.what in ("kill", "end"):
                stated = NOTICED_KILL
            else:
                stated = min(NOTICED_STOP, max(record.schedule.stall,
                                               fault.seconds) + 1)
            # One that is still waiting for tasks waits for its deadline.
            if not rows_of(client):
                stated = record.schedule.deadline
            if (stated and record.schedule.is_synchronous()
                    and client.ended - at > stated + MARGIN):
                yield (f"client {visit.name} ended {client.ended - at:.1f} s"
                       f" after '{fault.text()}', not {stated:.0f} s")


def check_success(record):
    """A run that succeeds has done its steps."""
    for visit, client in clients(record):
        if was_ended(client) or client.poll() != 0 or visit.graph != "train":
            continue
        if record.schedule.plan == "quorum":
            continue  # the others' end may end it
        for worker, rows in rows_of(client).items():
            # The step whose results were lost in a failure is done, but not shown.
            wanted = steps_of(visit, client) // 5 - visit.recovers
            if len(rows) < wanted:
                yield (f"client {visit.name} succeeds with {len(rows)} rows,"
                       f" not {wanted} {worker}")


def check_left(record):
    for what in record.left:
        yield f"left over: {what}"


def check_weights(record):
    """Weights of synchronous plans are those of an undisturbed training."""
    trainers = [(visit, client) for visit, client in clients(record)
                if visit.graph == "train"]
    if record.schedule.has_data and len(trainers) > 1:
        return  # a client begins with the first row
    steps = 0
    for visit, client in trainers:
        steps += steps_of(visit, client)
        if client.poll() != 0:
            return
        if visit.name in record.saved:
            expected = record.programs.weights(
                record.schedule.plan, record.schedule.has_data, steps)
            if record.saved[visit.name] != expected:
                yield (f"the weights that client {visit.name} saved differ from"
                       f" those of {steps} undisturbed steps")


def check_state(record):
    """Counters never go back and never differ, unless the client says why."""
    yield from check_rows(record)
    highest = []  # (when all of it was printed, counters)
    for visit, client in sorted(clients(record), key=lambda c: c[1].began):
        says_loss = bool(SAYS_LOSS.search(client.text("err")))
        for worker, rows in rows_of(client).items():
            first = rows[0][1]
            for before, values in highest:
                lower = [name for name in first if first[name] < values[name]]
                if before < client.began and lower and not says_loss:
                    yield (f"client {visit.name} begins at {first}, though"
                           f" {values} was there before it: state was lost"
                           " silently")
                    break
            for (step, old), (_, new) in zip(rows, rows[1:]):
                lower = [name for name in old if new[name] < old[name]]
                if lower and not says_loss:
                    yield (f"client {visit.name} {worker} goes back after step"
                           f" {step}: {old}, {new}")
            if client.ended:
                highest.append((client.ended, rows[-1][1]))


def check_rows(record):
    """All variables that a step reads have had the same updates. Where a run
    ended within a step, the next client says so, once."""
    was_told = False
    for visit, client in sorted(clients(record), key=lambda c: c[1].began):
        was_told |= bool(ENDED_WITHIN.search(client.text("err")))
        if visit.graph != "train" or was_told:
            continue
        for worker, rows in rows_of(client).items():
            torn = [row for row in rows if len(set(row[1].values())) > 1]
            if torn:
                yield f"client {visit.name} {worker} reads torn values: {torn[0]}"


def check_checkpoint(record):
    """A checkpoint is whole, whatever happened to who wrote it."""
    counters = record.checkpoint
    if counters is not None and len(set(counters.values())) != 1:
        yield f"the checkpoint is damaged or torn: {counters}"


def check_recovery(record):
    """A run that recovers outlives tasks that were killed and come back. Values
    that were lost are loaded by the chief; when it is done, nobody does."""
    chief = record.clients.get("a0")
    for visit, client in clients(record):
        if not visit.recovers or was_ended(client) or client.poll() == 0:
            continue
        if visit.worker > 0 and chief and chief.poll() == 0:
            continue
        if REFUSED.search(client.text("err")):
            continue
        if all(fault.what in ("kill", "end") and fault.whom not in record.clients
               or fault.is_mild() for _, fault in record.happened):
            yield f"client {visit.name} did not recover"


def check_counts(record):
    """Every update counts once, everywhere."""
    final = record.final
    if final is None:
        return
    trainers = [(visit, client) for visit, client in clients(record)
                if visit.graph == "train"]
    is_whole = all(client.poll() == 0 for _, client in trainers)
    # One graph for all workers may end within a step.
    is_torn = not is_whole and record.schedule.is_synchronous()
    if len(set(final.values())) > 1 and not is_torn:
        yield f"updates are not counted alike: {final}"
    if record.schedule.plan == "quorum":
        if is_whole:
            yield from check_quorum(record, trainers)
        return
    most = sum(visit.steps for visit, _ in trainers)
    # What was printed last may not have been applied.
    least = sum(steps_of(visit, client) if client.poll() == 0 else
                max(0, 5 * (len(rows_of(client).get("", [])) - 1))
                for visit, client in trainers)
    for name, value in final.items():
        if not least <= value <= most:
            yield (f"{name} is {value:.0f} after at least {least} and at most"
                   f" {most} updates")


def check_quorum(record, trainers):
    """Two gradients make an update; the others were dropped and counted."""
    most = sum(visit.steps for visit, _ in trainers)
    if record.final["gstep"] > most // 2:
        yield f"{record.final} from {most} gradients, two of which are an update"


RULES = (check_ends, check_causes, check_times, check_success, check_left,
         check_weights, check_state, check_checkpoint, check_recovery,
         check_counts)


def broken(record):
    """The rules that a run broke: [(rule, text)]."""
    return [(rule.__name__, text) for rule in RULES for text in rule(record)]
