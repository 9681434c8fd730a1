# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a plan of a family and one that is compiled for its number of workers
alone, and compares the numbers of all steps and the variables.

  plan_family.py MODEL.tfir FOLDER
"""
import json
import os
import subprocess
import sys

BATCH = 5  # of a worker
STEPS = 6

# What is asked of graphc; whether batches are what all workers take together,
# when it compiles for all of them; the flags of graphc-run.
MODES = {
    "servers": (["--placement=ps-round-robin"], True, []),
    "ring": (["--variable-device=mirrored", "--reduce=ring"], True, []),
    "async": (["--async"], False, ["--worker=0"]),
    "quorum": (["--sync=1"], False, ["--worker=0"]),
}


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr}")


def write_cluster(path, jobs):
    cluster = {job: [f"{job}{i}:1" for i in range(tasks)]
               for job, tasks in jobs.items()}
    with open(path, "w") as file:
        json.dump({"cluster": cluster}, file)


def write_points(path):
    with open(path, "w") as file:
        for i in range(97):
            x = [i % 7 / 7, i % 5 / 5, i % 3 / 3]
            file.write(f"{x[0]},{x[1]},{x[2]},{x[0] + 2 * x[1] - x[2]}\n")


def run(model, jobs, flags, place):
    """The losses of all steps and the bytes of the variables."""
    tasks = ",".join(f"{job}:{count}" for job, count in jobs.items())
    call("graphc-run", model, f"{place}={tasks}", "--graph=train",
         f"--steps={STEPS}", "--print-every=1", "--data=points=points.csv",
         "--save=w.safetensors", "--json=r.json", "--quiet", *flags)
    with open("w.safetensors", "rb") as weights, open("r.json") as file:
        report = json.load(file)
        return report["history"], weights.read()


def compare(mode, source):
    flags, is_global, run_flags = MODES[mode]
    least = 2 if mode == "quorum" else 1
    jobs = {"worker": 4} if mode == "ring" else {"ps": 2, "worker": 4}
    write_cluster("all.json", jobs)
    call("graphc", source, "--cluster=all.json", f"--batch={BATCH}",
         f"--workers={least}..4", *flags, "-o", "family.bin")
    for workers in range(least, 5):
        jobs["worker"] = workers
        write_cluster("alone.json", jobs)
        batch = BATCH * workers if is_global else BATCH
        call("graphc", source, "--cluster=alone.json", f"--batch={batch}",
             *flags, "-o", "alone.bin")
        place = "--spawn" if mode == "ring" else "--local-cluster"
        same = (run("family.bin", jobs, run_flags, place)
                == run("alone.bin", jobs, run_flags, place))
        print(f"{mode}, {workers} workers:", "same" if same else "DIFFERENT")


def main():
    source = os.path.abspath(sys.argv[1])
    os.chdir(sys.argv[2])
    write_points("points.csv")
    for mode in MODES:
        compare(mode, source)


main()
