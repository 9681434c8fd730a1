# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Replays a trace of graphc-run as if each device had a core of its own.

The programs of a model are run by one thread; of each instruction the least time of
all traced steps counts. Then each program takes its instructions in their order, and
waits for what it receives until it is sent."""
import json


class Step:
    """One step of a graph: instructions by device, and edges between them."""

    def __init__(self):
        self.seconds = {}  # least of all steps, by (device, instruction)
        self.sent_by = {}  # by receiving instruction: those that it waits for

    def add(self, trace):
        """Adds the steps of a trace."""
        with open(trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        spans = {}
        for event in events:
            if event["ph"] != "X":
                continue
            node = event["tid"], event["args"]["instruction"]
            own = 0 if event["cat"] == "wait" else event["dur"] * 1e-6
            known = self.seconds.get(node)
            # Who has waited has received: that takes no time of its own.
            self.seconds[node] = own if known is None else min(known, own)
            spans.setdefault((event["tid"], event["args"]["step"]), []).append(
                (event["ts"], event["ts"] + event["dur"], node))
        ends = {}
        for event in events:
            if event["ph"] in ("s", "f"):
                place = event["tid"], event["args"]["step"]
                node = min(spans[place], key=lambda span, at=event["ts"]: max(
                    span[0] - at, at - span[1], 0))[2]
                ends.setdefault(event["id"], {})[event["ph"]] = node
        for end in ends.values():
            if "s" in end and "f" in end:
                self.sent_by.setdefault(end["f"], set()).add(end["s"])

    def work(self):
        """Seconds of all instructions."""
        return sum(self.seconds.values())

    def replay(self):
        """Seconds until the last device is done."""
        devices = {}
        for device, instruction in sorted(self.seconds):
            devices.setdefault(device, []).append((device, instruction))
        clocks = dict.fromkeys(devices, 0.0)
        done = {}
        while any(devices.values()):
            before = len(done)
            for device, nodes in devices.items():
                while nodes and all(n in done for n in
                                    self.sent_by.get(nodes[0], ())):
                    node = nodes.pop(0)
                    start = max([clocks[device]] + [
                        done[n] for n in self.sent_by.get(node, ())])
                    clocks[device] = done[node] = start + self.seconds[node]
            if len(done) == before:
                raise ValueError("the trace has devices that wait for ever")
        return max(clocks.values())
