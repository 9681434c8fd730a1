# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the table of TensorFlow's names with the ops and the funcs of the library
that there are: TABLE OPS.MD LIBRARY.MD."""
import re
import sys

table, ops, library = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
known = set(re.findall(r"^### `(tfir\.[\w.]+)`", ops, re.M))
known |= set(re.findall(r"^\| `([\w.]+)\(", library, re.M))
rows = re.findall(r'\{\s*"(\w+)",\s*"([\w.]*)",\s*"((?:[^"\\]|\\.)*)"', table)
missing = re.search(r"kMissing =(.*?);", table, re.S).group(1)
names = [name for name, _, _ in rows] + re.findall(r"\w+", missing)
for name, here, hint in rows:
    for op in [here] * bool(here) + re.findall(r"tfir\.\w+", hint):
        if op not in known and f"#{op}" not in hint:
            print(f"'{name}' leads to '{op}', which there is not")
for name in sorted({n for n in names if names.count(n) > 1}):
    print(f"'{name}' stands twice")
for name in names:
    if f"tfir.{name}" in known:
        print(f"'{name}' has its own name here")
print(f"{len(names)} names")
