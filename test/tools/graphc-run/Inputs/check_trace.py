# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_trace.py FILE FIRST LAST [EVERY]: a trace, JSON or Perfetto's own format,
# has all these steps, slices of a track do not overlap, and each arrow ends after
# it begins, less the error of the clocks of its tasks.
import collections
import gzip
import json
import re
import sys

from pftrace import read_packets

Slice = collections.namedtuple("Slice", "track name begin end args")


class Trace:
    """Tracks, slices and arrows; microseconds."""

    def __init__(self):
        self.processes, self.notes, self.tracks = {}, {}, {}
        self.slices, self.arrows = [], {}


def read_json(path):
    trace = Trace()
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        whole = json.load(file)
    for event in whole["traceEvents"]:
        place, args = (event["pid"], event["tid"]), event["args"]
        if event["name"] == "process_name":
            trace.processes[event["pid"]] = args["name"]
        elif event["name"] == "process_labels":
            trace.notes[event["pid"]] = args["labels"]
        elif event["name"] == "thread_name":
            trace.tracks[place] = args["name"]
        elif event["ph"] == "X":
            trace.slices.append(Slice(place, event["name"], event["ts"],
                                      event["ts"] + event["dur"], args))
        elif event["ph"] in "sf":
            trace.arrows.setdefault(event["id"], {})[event["ph"]] = (
                event["pid"], event["ts"])
    return trace


def read_pftrace(path):
    trace, open_slices, names = Trace(), {}, {}
    uuids, track_of, flows = {}, {}, {}
    with open(path, "rb") as file:
        packets = read_packets(file.read())
    start = min(p["timestamp"] for p in packets if "timestamp" in p)
    for packet in packets:
        names.update(packet.get("names", {}))
        if "process" in packet:
            process = packet["process"]
            uuids[packet["uuid"]] = process["pid"]
            trace.processes[process["pid"]] = process["name"]
            if "labels" in process:
                trace.notes[process["pid"]] = process["labels"]
        elif "thread" in packet:
            thread = packet["thread"]
            assert uuids[packet["parent"]] == thread["pid"]
            track_of[packet["uuid"]] = (thread["pid"], thread["tid"])
            trace.tracks[track_of[packet["uuid"]]] = thread["name"]
        elif packet.get("type") == 1:
            assert packet["track"] not in open_slices
            open_slices[packet["track"]] = packet
        elif packet.get("type") == 2:
            begin = open_slices.pop(packet["track"])
            place = track_of[packet["track"]]
            micros = [(p["timestamp"] - start) * 1e-3 for p in (begin, packet)]
            trace.slices.append(Slice(place, names[begin["name"]], *micros,
                                      begin["args"]))
            for flow in begin["flows"]:
                flows.setdefault(flow, {})["s"] = (place[0], micros[0])
            for flow in begin["last_flows"]:
                flows.setdefault(flow, {})["f"] = (place[0], micros[1])
    assert not open_slices
    trace.arrows = flows
    return trace


def errors_of(trace):
    """The error of each process's clock, by pid."""
    errors = {}
    for pid, note in trace.notes.items():
        found = re.match(r"clock within ([0-9.]+) us", note)
        errors[pid] = float(found.group(1)) + 0.05 if found else 0
    return errors


def main(path, first, last, every=1):
    trace = (read_pftrace if path.endswith(".pftrace") else read_json)(path)
    for name in trace.processes.values():
        print("process", name)
    for (pid, _), name in trace.tracks.items():
        print("track", trace.processes[pid], name)
    steps = {s.args["step"] for s in trace.slices if "step" in s.args}
    assert steps == set(range(int(first), int(last) + 1, int(every))), steps
    by_track = {}
    for one in trace.slices:
        assert one.end >= one.begin, one
        by_track.setdefault(one.track, []).append((one.begin, one.end))
    for slices in by_track.values():
        slices.sort()
        for (_, end), (begin, _) in zip(slices, slices[1:]):
            assert begin >= end - 2e-3, (begin, end)
    errors, between = errors_of(trace), 0
    for arrow, ends in trace.arrows.items():
        assert set(ends) == {"s", "f"}, (arrow, ends)
        (sender, begin), (receiver, end) = ends["s"], ends["f"]
        error = errors.get(sender, 0) + errors.get(receiver, 0)
        assert end >= begin - error - 1e-3, (arrow, ends, error)
        between += sender != receiver
    for label in sorted({s.name.split(" ")[0] for s in trace.slices}):
        print("slice", label)
    print(f"arrows: {len(trace.arrows)}, {between} between tasks, "
          "each from its send on")


main(*sys.argv[1:])
