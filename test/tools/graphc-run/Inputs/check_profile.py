# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_profile.py FILE: the tables of a profile have the same sum, the parts of a
# program's step are the step, and the critical path is as long as it.
import json
import sys

with open(sys.argv[1]) as file:
    profile = json.load(file)["profile"]
sums = {}
for table in ("kernels", "ops", "lines", "layers", "devices"):
    rows = profile[table]
    seconds = [row["seconds"] for row in rows]
    assert seconds == sorted(seconds, reverse=True), table
    sums[table] = [sum(row[what] for row in rows)
                   for what in ("seconds", "flops", "bytes")]
    phases = sum(sum(row["phases"].values()) for row in rows if "phases" in row)
    assert abs(phases - sums[table][0]) <= 1e-6 * sums[table][0], table
for table, values in sums.items():
    for value, other in zip(values, sums["kernels"]):
        assert abs(value - other) <= 1e-6 * other, (table, sums)
step = profile["step_seconds"]
for program in profile["programs"]:
    parts = sum(program[what] for what in ("busy", "waiting", "ready", "done"))
    assert abs(parts - step) <= 1e-6 * step, (program, step)
path = profile["critical_path"]
length = path["between"] + sum(op["on_path"] for op in path["ops"])
assert abs(path["seconds"] - step) <= 1e-6 * step, (path["seconds"], step)
assert abs(length - step) <= 1e-6 * step, (length, step)
for op in path["ops"]:
    assert -1e-12 <= op["saved"] <= op["all"] + 1e-12, op
    assert op["on_path"] <= op["all"] + 1e-12, op
assert path["median_step"]["path"]
assert profile["limits"]["flops_per_second"] > 1e8, profile["limits"]
assert profile["limits"]["bytes_per_second"] > 1e7, profile["limits"]
print("rows:", ", ".join(f"{len(profile[table])} {table}" for table in sums))
