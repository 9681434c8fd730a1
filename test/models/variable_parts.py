# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# variable_parts.py GRAPH WORK: a variable that ps-by-bytes cuts into parts trains
# as a whole one does, and checkpoints of both are read by both.
import os
import re
import subprocess
import sys

import numpy

from harness import read_safetensors

graph, work = sys.argv[1:]
os.makedirs(work)
LAYOUTS = {
    "whole": [],
    "cpus": ["--cpu-devices=3", "--placement=ps-by-bytes",
             "--replicate=none"],
    "towers": ["--devices=gpu:0-1,cpu:0-1", "--placement=ps-by-bytes"],
}
checks = 0
failures = 0


def check(holds, message):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print("FAILED:", message)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def steps(layout, count, load=None):
    saved = f"{work}/{layout}-{count}-{bool(load)}.safetensors"
    flags = [f"--load={load}"] if load else []
    run(["graphc-run", f"{work}/{layout}.bin", "--virtual-gpus", "--graph=train",
         f"--steps={count}", f"--feed=x={work}/x.npy", f"--save={saved}",
         "--quiet", *flags])
    return saved


numpy.save(f"{work}/x.npy", numpy.random.default_rng(1).random(
    (8, 1200), numpy.float32))
saved = {}
for layout, flags in LAYOUTS.items():
    model = f"{work}/{layout}.bin"
    run(["graphc", graph, "--batch=8", *flags, "-o", model])
    parts = re.findall(r"^variable '(.*/part_\d+)' .* on '(\S+)'",
                       run(["graphc-dump", model]), re.M)
    check((len(parts) > 0) == (layout != "whole"),
          f"{layout} has the parts {parts}")
    places = {device for name, device in parts if name.startswith("w/part_")}
    check(layout == "whole" or len(places) > 1, f"{layout}: all on {places}")
    saved[layout] = steps(layout, 5)
reference = read_safetensors(saved["whole"])
for layout, path in saved.items():
    values = read_safetensors(path)
    check(values.keys() == reference.keys(), f"{layout}: {sorted(values)}")
    for name, value in values.items():
        apart = numpy.linalg.norm(value - reference[name])
        check(apart <= 1e-6 * max(1.0, numpy.linalg.norm(reference[name])),
              f"{layout}: {name} is {apart} apart")
    for other in LAYOUTS:
        there = read_safetensors(steps(other, 1, load=path))
        here = read_safetensors(steps("whole", 1, load=path))
        apart = numpy.linalg.norm(there["w"] - here["w"])
        check(apart <= 1e-6 * numpy.linalg.norm(here["w"]),
              f"{other} goes on from {layout} {apart} apart")
print(f"{checks} checks, {failures} failures")
