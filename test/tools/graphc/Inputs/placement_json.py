# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# placement_json.py LOG: what --log-device-placement=json says, in short lines.
import json
import sys

log = json.load(open(sys.argv[1], encoding="utf-8"))
print(f"version {log['version']}, policy {log['policy']}, "
      f"a step of {log['step_seconds']} s")
names = {device["name"]: device for device in log["devices"]}
counted = {name: 0 for name in names}
for op in log["ops"]:
    counted[op["device"]] += 1
    others = op["alternatives"]
    if [o["device"] for o in others] != [n for n in names
                                         if n != op["device"]]:
        sys.exit(f"{op['name']}: not every other device is listed")
    if any(("excluded" in o) == ("cost_seconds" in o) for o in others):
        sys.exit(f"{op['name']}: neither excluded nor with a cost")
    if not op["line"].split(":")[1].isdigit():
        sys.exit(f"{op['name']}: no line")
    device = op["device"].split("device:")[1]
    print(f"{op['name']}: {op['rule']} on {device}, since {op['why']}; "
          f"{len(others)} alternatives")
for name, device in names.items():
    if device["ops"] != counted[name]:
        sys.exit(f"{name}: {device['ops']} ops instead of {counted[name]}")
keys = [(op.get("graph", ""), op["name"]) for op in log["ops"]]
print("sorted" if keys == sorted(keys) else "not sorted", end="")
print(f", {len(keys)} ops, all with a record")
