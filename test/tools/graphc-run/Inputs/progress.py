# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Looks at the progress of a run in a terminal, and elsewhere.
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../graphc-top/Inputs"))
from terminal import Terminal  # noqa: E402

MODEL = sys.argv[1]
STEPS = "10000000000"
RUN = ["graphc-run", MODEL, "--graph=greedy", "--data=points=" + sys.argv[2]]
LINE = (r"step \d+: \d+/" + STEPS + r" \(0%\), \d+ steps/s, \d+ examples/s, "
        r"ETA (\d+ d )?\d+:\d\d:\d\d, loss = ")

# A line that is rewritten, and is gone at the end.
shown = Terminal([*RUN, "--steps=" + STEPS], columns=150)
first = shown.wait(LINE)[0]
for _ in range(10):
    shown.pump(0.1)
assert shown.wait(LINE)[0] != first, "the line stays"
assert shown.text().count("ETA") == 1, shown.text()
drawn = len(shown.raw)
shown.resize(30, 5)
# Lines for the old width may still be on their way, and are wrapped.
while not re.search(rb"\r\x1b\[K[^\r]{1,29}\r", shown.raw[drawn:]):
    assert shown.pump(30) and len(shown.raw) < drawn + 100000, shown.text()
shown.shape(30, 5)
for _ in range(8):
    shown.pump(0.1)
# What is wrapped now would stay, and never be a single line.
shown.wait(r"\Astep [^\n]*\n*\Z")
shown.send(b"\x03")
assert shown.end() == 130
assert not re.search(r"ETA", shown.text()), shown.text()
print("in place: ok")

# Lines of others stand above it, whole.
shown = Terminal([*RUN, "--steps=" + STEPS, "--print-every=20000"], columns=150)
shown.wait(r"(?m)^step 20000: loss = [^E\n]*$")
shown.wait(r"(?m)^step 40000: loss = [^E\n]*$")
shown.send(b"\x03")
assert shown.end() == 130
for line in shown.screen():
    assert not line or re.fullmatch(
        r"step \d+0000: loss = [^,]*, \d+ examples/s, \S+ s/batch"
        r"|graphc-run: .*|\^C.*|step \d+: .*", line), line
print("lines: ok")

shown = Terminal([*RUN, "--steps=200000", "--progress=off"], columns=150)
assert shown.end() == 0 and "ETA" not in shown.raw.decode()
shown = Terminal([*RUN, "--steps=300000"], env={"TERM": "dumb"}, columns=150)
assert shown.end() == 0 and b"\x1b" not in shown.raw
print("off: ok")

# Elsewhere lines, if they are wanted.
done = subprocess.run([*RUN, "--steps=3", "--progress=on"], capture_output=True,
                      text=True, check=True)
print(done.stdout)
done = subprocess.run([*RUN, "--steps=3"], capture_output=True, text=True, check=True)
print(done.stdout)
