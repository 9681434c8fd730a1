# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short runs of all workers of a k-of-n plan in one command: whoever is left
over knows that the others are done, and waits for nobody."""
import subprocess
import sys

MODEL = sys.argv[1]
RUNS = 12

for number in range(RUNS):
    result = subprocess.run(
        ["graphc-run", MODEL, "--local-cluster=ps:1,worker:3", "--graph=train",
         f"--steps={1 + number % 3}", "--stall=4", "--threads=1",
         "--feed=x=1,2,3,4", "--feed=y=2.2,4.2,6.2,8.2"],
        timeout=60, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"run {number}: {result.stderr}")
    if "the data ended" in result.stderr:
        sys.exit(f"run {number} has no data: {result.stderr}")
    if result.stderr.count("late gradients") > 1:
        sys.exit(f"run {number} says it several times: {result.stderr}")
print(f"{RUNS} runs ended")
