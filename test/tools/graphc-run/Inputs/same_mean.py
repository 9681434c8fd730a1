# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# same_mean.py FILE: the mean that graphc-run --mean prints is that of the last
# evaluation in FILE.
import json
import re
import sys

printed = float(re.search(r"mean over \d+ steps: loss = (\S+)",
                          sys.stdin.read())[1])
with open(sys.argv[1], encoding="utf-8") as file:
    noted = json.loads(file.readlines()[-1])["evaluate/loss"]
assert abs(printed - noted) < 1e-4 * noted, (printed, noted)
