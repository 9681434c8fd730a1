# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names the ops of the dialect that lib/interpreter has no reference for."""
import glob
import re
import sys

# Declarations and ends of blocks compute nothing; bounds, devices and ops of unknown
# kinds have no meaning here; values between partitions need all of them. What summaries
# (Summary*Op) show are fetches by then.
WITHOUT = {"variable", "dataset", "graph", "return", "yield", "budget", "custom",
           "devices", "send", "recv"}


def main(repository):
    ops = set()
    for path in glob.glob(f"{repository}/dialects/tfir/**/*.td",
                          recursive=True):
        with open(path, encoding="utf-8") as file:
            for name, rest in re.findall(r"^def Tfir_(\w+Op)\b([^{;]*)",
                                         file.read(), re.MULTILINE):
                mnemonic = re.search(r'<\s*"(\w+)"', rest)
                if mnemonic and not name.startswith("Summary"):
                    ops.add((name, mnemonic.group(1)))
    known = set()
    for path in glob.glob(f"{repository}/lib/interpreter/**/*Ops.cpp", recursive=True):
        with open(path, encoding="utf-8") as file:
            known |= set(re.findall(r"add\w*<(\w+Op)>\(", file.read()))
    missing = sorted(m for n, m in ops if n not in known and m not in WITHOUT)
    if len(ops) < 60 or missing:
        sys.exit(f"{len(ops)} ops; without a reference: {', '.join(missing)}")
    print(f"{len(ops)} ops, all with a reference")


main(sys.argv[1])
