# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""count_updates.py LOG CHECKPOINT: the updates that the notes of a run of several
workers count by age, and the global step of its checkpoint."""
import json
import re
import struct
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    notes = re.findall(r"updates of worker \d+ by age: (.*)", file.read())
updates = sum(int(count) for note in notes
              for count in re.findall(r"\d+:(\d+)", note))
with open(sys.argv[2], "rb") as file:
    data = file.read()
size = struct.unpack("<Q", data[:8])[0]
begin, end = json.loads(data[8:8 + size])["global_step"]["data_offsets"]
step = struct.unpack("<q", data[8 + size + begin:8 + size + end])[0]
print(f"{updates} updates, global step {step}:",
      "equal" if 0 < updates == step else "different")
