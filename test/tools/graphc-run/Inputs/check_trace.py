# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_trace.py FILE FIRST LAST: a trace has all these steps, slices of a device
# do not overlap, and each arrow ends after it begins.
import gzip
import json
import sys

path, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
    events = json.load(file)["traceEvents"]
steps, ends, tracks = set(), {}, {}
for event in events:
    if event["name"] == "thread_name":
        print("device", event["args"]["name"])
    elif event["ph"] == "X":
        steps.add(event["args"]["step"])
        tracks.setdefault(event["tid"], []).append(
            (event["ts"], event["ts"] + event["dur"]))
    elif event["ph"] in "sf":
        ends.setdefault(event["id"], {})[event["ph"]] = event["ts"]
assert steps == set(range(first, last + 1)), steps
for slices in tracks.values():
    slices.sort()
    for (_, end), (begin, _) in zip(slices, slices[1:]):
        assert begin >= end - 1e-6, (begin, end)
for arrow, times in ends.items():
    assert set(times) == {"s", "f"} and times["f"] >= times["s"], (arrow, times)
print(f"arrows: {len(ends)}, each from its send on")
