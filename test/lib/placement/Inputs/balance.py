# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# balance.py PLACED: how evenly the bytes of its f32 variables are divided.
import math
import re
import sys
from collections import Counter

share = Counter()
count = 0
for line in open(sys.argv[1], encoding="utf-8"):
    found = re.search(r'tfir\.variable .*tensor<([0-9x]+)xf32>.*'
                      r'assigned_device = #tfir\.device<"(/job:ps[^"]*)">', line)
    if found:
        count += 1
        sizes = map(int, found.group(1).split("x"))
        share[found.group(2)] += 4 * math.prod(sizes)
total = sum(share.values())
ratio = max(share.values()) * len(share) / total
print(f"{len(share)} servers, {count} variables, {total} bytes, "
      f"most to mean {ratio:.3f}")
if ratio > 1.10:
    sys.exit("a server has more than its share")
