# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of bench/run-gpu: figures, bars, and whether they are met."""
import contextlib

import side_by_side

PRODUCT_BAR = 0.97   # of the speed of cuBLASLt's own best algorithm
KERNEL_BAR = 0.85    # of the bytes per second of a copy on the device
CPU_BAR = 10e-6      # seconds of the process per step
STEP_BAR = 1.2       # times the sum of the step's calls


class Table:
    def __init__(self):
        self.rows = []      # (what, figure, bar, met or None)
        self.measured = {}  # raw figures by name
        self.has_failed = False

    def add(self, what, figure, bar="", is_met=None):
        self.rows.append((what, figure, bar, is_met))

    @contextlib.contextmanager
    def failures(self, name):
        """What goes wrong is a row, and the others go on."""
        try:
            yield
        except side_by_side.Failure as failure:
            self.has_failed = True
            self.add(name, f"not measured: {failure}")

    def add_calls(self, model, measured):
        """Our calls of a step against what was measured beside them."""
        name, calls = model["name"], measured["calls"]
        self.measured[name] = measured
        ours = sum(call["seconds"] for call in calls)
        if model["kind"] == "kernels":
            # The copy moves as many bytes as all calls together.
            copy = min(call["beside"] for call in calls)
            rate = measured["bytes"] / ours * 1e-9
            self.add(name, f"{100 * copy / ours:.1f} % of a copy, "
                     f"{rate:.0f} GB/s", f">= {100 * KERNEL_BAR:.0f} %",
                     copy >= KERNEL_BAR * ours)
            return
        if len(calls) != 1 or "beside" not in calls[0]:
            raise side_by_side.Failure(
                f"a step is {[call['name'] for call in calls]}, and should be "
                "one call of cuBLASLt")
        ratio = calls[0]["beside"] / ours
        self.add(name, f"{ratio:.3f} of cuBLASLt, {1e6 * ours:.1f} us",
                 f">= {PRODUCT_BAR}", ratio >= PRODUCT_BAR)

    def add_training(self, model, measured):
        name = model["name"]
        self.measured[name] = measured
        step, calls = measured["step"], measured["sum_of_calls"]
        self.add(f"{name}: CPU per step", f"{1e6 * measured['cpu']:.1f} us",
                 f"<= {1e6 * CPU_BAR:.0f} us", measured["cpu"] <= CPU_BAR)
        self.add(f"{name}: step / its {measured['calls']:.0f} calls",
                 f"{step / calls:.2f}, {1e6 * step:.1f} us", f"<= {STEP_BAR}",
                 step <= STEP_BAR * calls)
        for peer, seconds in measured["peers"].items():
            self.add(f"{name}: step / {peer}'s", f"{step / seconds:.2f}, "
                     f"{1e6 * seconds:.1f} us", "< 1", step < seconds)
        for peer, why in measured["skipped"].items():
            self.add(f"{name}: step / {peer}'s", f"skipped: {why}")

    def add_copies(self, measured):
        self.measured["copies"] = measured
        for name, seconds in measured.items():
            if name != "bytes":
                self.add(f"copy {name.replace('_', ' ')}",
                         f"{measured['bytes'] / seconds * 1e-9:.1f} GB/s")
        if "to_peer" not in measured:
            self.add("copy to peer", "skipped: one GPU")

    def print(self, about):
        print(f"{', '.join(about['gpus'])}, driver {about['driver']}, "
              f"{about['date']}")
        if about["emulated"]:
            print("emulated: no figure means anything")
        widths = [max(len(row[i]) for row in self.rows) for i in range(3)]
        for what, figure, bar, is_met in self.rows:
            verdict = ""
            if is_met is not None and not about["emulated"]:
                verdict = "met" if is_met else "NOT MET"
            print(f"{what:{widths[0]}}  {figure:{widths[1]}}  "
                  f"{bar:{widths[2]}}  {verdict}".rstrip())
