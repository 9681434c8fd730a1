# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# explanations.py SOURCE WORK: compiles every example and 20 random graphs, with
# every policy. Each op must have a record that speaks of every device; the cost
# of an alternative must be what compiling with that pin gives; and policy cost
# must not be worse than another one.
import glob
import json
import os
import random
import re
import subprocess
import sys

POLICIES = ["first-gpu", "spread", "ps-round-robin", "cost"]
SAMPLES = 2  # alternatives that are compiled, of each graph and policy
RANDOM_GRAPHS = 20

source, work = sys.argv[1:]
os.makedirs(work)
checks = 0
failures = 0


def check(holds, message):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print("FAILED:", message)


def graphc(path, flags):
    done = subprocess.run(["graphc", path, *flags], capture_output=True,
                          text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"graphc {path} {' '.join(flags)}: {done.stderr}")
    return done.stdout


def log_of(path, flags):
    return json.loads(graphc(path, [*flags, "--log-device-placement=json"]))


def placed_names(path, flags):
    """(graph, name) of every op and variable, by the text of the phase."""
    names = []
    graph = ""
    for line in graphc(path, [*flags, "--stop-after=placed"]).splitlines():
        if found := re.match(r'\s*tfir\.graph @(?:"([^"]*)"|(\w+))', line):
            graph = found.group(1) or found.group(2)
        elif found := re.match(r'\s*tfir\.variable @(?:"([^"]*)"|(\w+))', line):
            names.append(("", found.group(1) or found.group(2)))
        elif "assigned_device" in line and "tfir.dataset" not in line:
            names.append((graph, re.search(r'\bname = "([^"]*)"', line)[1]))
    return names


def check_records(what, path, flags, log):
    records = {(op.get("graph", ""), op["name"]): op for op in log["ops"]}
    names = placed_names(path, flags)
    check(len(names) > 0, f"{what}: the text has no ops")
    for name in names:
        check(name in records, f"{what}: {name} has no record")
    devices = [device["name"] for device in log["devices"]]
    for name, op in records.items():
        others = [device for device in devices if device != op["device"]]
        check([o["device"] for o in op["alternatives"]] == others,
              f"{what}: {name} does not speak of every device")
        check(op["why"] and op["rule"], f"{what}: {name} has no reason")
        for other in op["alternatives"]:
            check(other.get("excluded") != "", f"{what}: {name} has no cause")


def check_costs(what, path, flags, log, pick):
    # A rule does not reach feeds, nor ops that ask for a device themselves.
    priced = [(op, other) for op in log["ops"] for other in op["alternatives"]
              if "cost_seconds" in other and op["kind"] != "Placeholder"
              and "request" not in op]
    for op, other in pick.sample(priced, min(SAMPLES, len(priced))):
        rule = f"name={op['name']}={other['device']}"
        if "graph" in op:
            rule = f"graph={op['graph']}&{rule}"
        pinned = log_of(path, [*flags, f"--place={rule}"])
        now = {(o.get("graph"), o["name"]): o for o in pinned["ops"]}
        moved = now[op.get("graph"), op["name"]]["device"]
        check(moved == other["device"], f"{what}: {rule} has no effect")
        difference = pinned["step_seconds"] - log["step_seconds"]
        check(difference == other["cost_seconds"],
              f"{what}: {rule} costs {difference}, "
              f"but the record says {other['cost_seconds']}")
    return len(priced)


def random_graph(path, pick):
    """A graph over matrices with variables, pins and ops that share."""
    matrix = "tensor<64x64xf32>"
    lines = []
    variables = [f"v{i}" for i in range(pick.randint(1, 4))]
    for name in variables:
        lines.append(f"tfir.variable @{name} : {matrix} = #tfir.fill<0.5>")
    lines.append(f"tfir.graph @g(%x: {matrix}) -> (y: {matrix}) {{")
    values = ["%x"]
    names = []
    for name in variables:
        lines.append(f"  %{name} = tfir.read @{name} : {matrix}")
        values.append(f"%{name}")
    for i in range(pick.randint(5, 25)):
        attributes = [f'name = "op{i}"']
        chance = pick.random()
        if chance < 0.15:
            attributes.append(f'device = "/gpu:{pick.randint(0, 2)}"')
        elif chance < 0.2:
            attributes.append('device = "/cpu:0"')
        elif chance < 0.3 and names:
            attributes.append(f'colocate_with = "{pick.choice(names)}"')
        if chance >= 0.2 and chance < 0.3 or chance >= 0.35:
            names.append(f"op{i}") if "device" not in attributes[-1] else None
        two = pick.choice(["matmul", "add", "mul", "maximum"])
        one = pick.choice(["exp", "neg", "relu"])
        text = "{" + ", ".join(attributes) + "}"
        if pick.random() < 0.6:
            a, b = pick.choice(values), pick.choice(values)
            lines.append(f"  %o{i} = tfir.{two} {a}, {b} {text} : "
                         f"({matrix}, {matrix}) -> {matrix}")
        else:
            lines.append(f"  %o{i} = tfir.{one} {pick.choice(values)} {text} "
                         f": ({matrix}) -> {matrix}")
        values.append(f"%o{i}")
    total = values[-1]
    for i, value in enumerate(values[1:-1]):
        lines.append(f"  %t{i} = tfir.add {total}, {value} : "
                     f"({matrix}, {matrix}) -> {matrix}")
        total = f"%t{i}"
    lines.append(f"  tfir.assign @{pick.choice(variables)}, {total} : {matrix}")
    lines.append(f"  tfir.return {total} : {matrix}")
    lines.append("}")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def check_graph(path, flags, pick):
    steps = {}
    priced = 0
    for policy in POLICIES:
        what = f"{os.path.basename(path)} {policy}"
        with_policy = [*flags, f"--placement={policy}"]
        log = log_of(path, with_policy)
        check(log["policy"] == policy, f"{what}: another policy")
        check_records(what, path, with_policy, log)
        priced += check_costs(what, path, with_policy, log, pick)
        steps[policy] = log["step_seconds"]
    check(steps["cost"] == min(steps.values()),
          f"{path}: cost is not the best of {steps}")
    return priced


pick = random.Random(3)
priced = 0
# Those that name tasks need a cluster.
examples = [path for path in sorted(glob.glob(f"{source}/examples/*/*.tfir"))
            if "/job:" not in open(path, encoding="utf-8").read()]
for path in examples:
    for towers in ("towers", "none"):
        has_loss = "tfir.minimize" in open(path, encoding="utf-8").read()
        if towers == "towers" and not has_loss:
            continue
        priced += check_graph(path, ["--batch=16", "--devices=gpu:0-3",
                                     "--allow-soft-placement",
                                     f"--replicate={towers}"], pick)
for number in range(RANDOM_GRAPHS):
    path = f"{work}/random{number}.tfir"
    random_graph(path, pick)
    priced += check_graph(path, ["--devices=gpu:0-2,cpu:0-1",
                                 "--allow-soft-placement"], pick)
check(priced > 1000, f"only {priced} alternatives have a cost")
print(f"{len(examples)} examples, {RANDOM_GRAPHS} random graphs, "
      f"{priced} costs, {checks} checks, {failures} failures")
