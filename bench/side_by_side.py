# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times two programs beside each other: alternating rounds on the same cores,
and the ratio of each round. What slows the machine slows both sides."""
import glob
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOREIGN_LIMIT = 0.05  # of the cores: more work of others spoils a round
CALIBRATION_STEPS = 20


class Failure(Exception):
    """What went wrong, for the user."""


def run(command, cores=None):
    """Runs a program on the given cores and returns what it prints."""
    pin = (lambda: os.sched_setaffinity(0, cores)) if cores else None
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=600, preexec_fn=pin)
    except FileNotFoundError:
        raise Failure(f"'{command[0]}' is missing; build it, or name the build "
                      "folder with --build") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"'{command[0]}' did not end within 600 s") from None
    if done.returncode != 0:
        raise Failure(f"'{' '.join(command)}' failed: {done.stderr.strip()}")
    return done.stdout


def run_optional(command):
    """Runs a program that may not be able to run; its exit code and texts."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=600,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def processor_seconds():
    """Seconds that all cores together were busy since the machine started."""
    with open("/proc/stat", encoding="ascii") as stat:
        fields = [int(f) for f in stat.readline().split()[1:]]
    idle = fields[3] + fields[4]
    return (sum(fields[:8]) - idle) / os.sysconf("SC_CLK_TCK")


def seconds_of(process):
    """What a process has used that runs still."""
    with open(f"/proc/{process}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def own_seconds(living=()):
    """What this program, its children that have ended, and those of `living`
    have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN,
                                                resource.RUSAGE_SELF)]
    return (sum(u.ru_utime + u.ru_stime for u in used)
            + sum(seconds_of(process) for process in living))


def foreign_share(work, living=()):
    """Runs `work`; returns its result and the share of all cores that other
    programs took meanwhile. `living`: the ids of servers that work for it, and
    live on when it is done."""
    start, busy, own = (time.monotonic(), processor_seconds(),
                        own_seconds(living))
    result = work()
    wall = time.monotonic() - start
    foreign = processor_seconds() - busy - (own_seconds(living) - own)
    return result, max(0.0, foreign) / (wall * os.cpu_count())


def wait_for_quiet(seconds):
    """Returns when the machine was idle for half a second, or in `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if foreign_share(lambda: time.sleep(0.5))[1] < FOREIGN_LIMIT:
            return


def machine():
    model = "unknown"
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"cpu": model, "cores": os.cpu_count(),
            "kernel": platform.release(), "load": os.getloadavg()[0]}


def find_data(folder):
    """The images and labels to train with, as graphc-run names them."""
    for name in ("train", "t10k"):
        files = [sorted(glob.glob(os.path.join(folder, f"{name}-{kind}")))
                 for kind in ("images-idx3-ubyte*", "labels-idx1-ubyte*")]
        if all(files):
            return f"mnist_train={files[0][0]},{files[1][0]}"
    raise Failure(f"'{folder}' holds no MNIST files; name a folder with "
                  "train-images-idx3-ubyte and train-labels-idx1-ubyte")


class Training:
    """A compiled model that trains on digits, or on nothing."""

    def __init__(self, name, source, batch, options, cores, folder,
                 compile_flags=(), run_flags=(), has_data=True):
        self.name = name
        self.batch = batch
        tool = os.path.join(options.build, "bin", "graphc")
        model = os.path.join(folder, name + ".bin")
        run([tool, source, *([f"--batch={batch}"] if has_data else []), "-o",
             model, *compile_flags])
        if has_data and options.data is None:
            options.data = os.path.join(folder, "digits")
            run([sys.executable, os.path.join(ROOT, "scripts", "make-digits"),
                 options.data])
        self.report = os.path.join(folder, name + ".json")
        self.command = [tool + "-run", model, "--graph=train", "--quiet",
                        f"--threads={options.threads}",
                        *(["--data", find_data(options.data)]
                          if has_data else []),
                        f"--json={self.report}", *run_flags]
        self.cores = cores

    def time(self, steps):
        """Median and least microseconds per step."""
        run(self.command + [f"--steps={steps}"], self.cores)
        with open(self.report, encoding="utf-8") as report:
            seconds = json.load(report)["step_seconds"]
        return seconds["median"] * 1e6, seconds["min"] * 1e6


def steps_for(side, seconds):
    """How many steps of a side fill the time of one run."""
    median, _ = side.time(CALIBRATION_STEPS)
    return max(CALIBRATION_STEPS, int(seconds * 1e6 / median))


def measure(sides, options):
    """The rounds: both sides one after the other, each first in every second
    round; the ratio is the second side's time per example to the first's.
    Rounds that others disturbed are repeated, up to twice as many."""
    steps = [steps_for(side, options.seconds) for side in sides]
    rounds = []
    while (sum(not r["disturbed"] for r in rounds) < options.rounds
           and len(rounds) < 3 * options.rounds):
        wait_for_quiet(options.wait)
        order = [0, 1] if len(rounds) % 2 == 0 else [1, 0]
        times, foreign = foreign_share(
            lambda: {sides[i].name: sides[i].time(steps[i]) for i in order})
        one = {name: {"median_us": median, "min_us": least}
               for name, (median, least) in times.items()}
        first, second = (times[s.name][0] / s.batch for s in sides)
        one["ratio"] = second / first
        one["foreign"] = round(foreign, 3)
        one["disturbed"] = foreign > FOREIGN_LIMIT
        rounds.append(one)
    return steps, rounds


def summarise(rounds, names, options):
    quiet = [r for r in rounds if not r["disturbed"]]
    used = quiet if len(quiet) >= options.rounds else rounds
    ratios = [r["ratio"] for r in used]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
    result = {"rounds_used": len(used), "rounds_disturbed":
              len(rounds) - len(quiet), "quiet": used is quiet,
              "ratio": {"median": middle, "q1": low, "q3": high}}
    for side in names:
        result[side] = {
            "median_us": statistics.median(r[side]["median_us"] for r in used),
            "min_us": min(r[side]["min_us"] for r in used)}
    return result


def print_table(report, sides):
    facts = report["machine"]
    batches = " and ".join(dict.fromkeys(str(s.batch) for s in sides))
    print(f"{report['model']}, batch {batches}, {report['threads']} threads on "
          f"{facts['cpu']} ({facts['cores']} cores), load {facts['load']:.2f}")
    print(f"{'':8}{'median us':>12}{'min us':>12}{'examples/s':>14}")
    for side in sides:
        row = report[side.name]
        print(f"{side.name:8}{row['median_us']:12.1f}{row['min_us']:12.1f}"
              f"{1e6 * side.batch / row['median_us']:14.0f}")
    ratio = report["ratio"]
    print(f"{sides[1].name} / {sides[0].name}: {ratio['median']:.3f} "
          f"(quartiles {ratio['q1']:.3f} to {ratio['q3']:.3f}, "
          f"{report['rounds_used']} rounds)")
    if not report["quiet"]:
        print(f"{report['rounds_disturbed']} rounds were disturbed by other "
              "programs; all rounds were used, so trust this little")


def add_options(parser):
    parser.add_argument("--rounds", type=int, default=12, metavar="N")
    parser.add_argument("--seconds", type=float, default=0.5, metavar="S",
                        help="length of one run of one side")
    parser.add_argument("--wait", type=float, default=10, metavar="S",
                        help="longest wait for a quiet machine before a round")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"),
                        metavar="FOLDER", help="where bin/graphc is")
    parser.add_argument("--data", metavar="FOLDER",
                        help="MNIST files; default: generated digits")
    parser.add_argument("--json", metavar="FILE",
                        help="write the report with every round")


def parse(parser):
    """The options, and the cores to measure on."""
    options = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    if options.rounds < 2 or options.seconds <= 0:
        parser.error("--rounds must be 2 or more, --seconds more than 0")
    if not 1 <= options.threads <= len(cores):
        parser.error(f"--threads must be from 1 to {len(cores)}, the cores "
                     "that this process may use")
    return options, set(cores[:options.threads])


def compare(sides, model, options):
    """Measures, prints the table and writes the report."""
    names = [side.name for side in sides]
    report = {"model": model, "batch": [side.batch for side in sides],
              "threads": options.threads, "machine": machine()}
    steps, rounds = measure(sides, options)
    report["steps"] = dict(zip(names, steps))
    report.update(summarise(rounds, names, options))
    print_table(report, sides)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({**report, "rounds": rounds}, file, indent=1)
            file.write("\n")
    return report
