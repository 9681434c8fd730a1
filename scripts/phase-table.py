#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Prints a page with its table of phases and passes made anew, of what
# `graphc --print-pipeline` lists: between the lines <!-- phases --> and
# <!-- end of phases -->. Called by scripts/generate-docs.
#
#   phase-table.py GRAPHC PAGE
import difflib
import os
import re
import subprocess
import sys
import tempfile

BEGIN = "<!-- phases, made by scripts/generate-docs -->\n"
END = "<!-- end of phases -->\n"
CLUSTER = ('{"cluster": {"ps": ["localhost:7101"],'
           ' "worker": ["localhost:7102", "localhost:7103"]}}')

# Flags that change the list: what the table says, and an example of them. {}
# stands for a file of a cluster.
VARIANTS = [
    ("`--start-at`", ["--start-at=compiled"]),
    ("`--lint`", ["--lint"]),
    ("`--async` or `--sync=N`", ["--async", "--cluster={}"]),
    ("`--placement=ps-by-bytes`", ["--placement=ps-by-bytes"]),
    ("`--workers`", ["--workers=1..2", "--cluster={}"]),
    ("`--gpu-arch=none`", ["--gpu-arch=none"]),
]


def sections_of(graphc, flags):
    """The sections of the list: {name: (promise, names of passes)}."""
    done = subprocess.run([graphc, "--print-pipeline", *flags], check=True,
                          capture_output=True, text=True)
    sections = {}
    for line in done.stdout.splitlines():
        if line.startswith("  "):
            passes.append(re.match(r" *([\w-]+)", line)[1])
        else:
            name, _, promise = line.partition(": ")
            passes = []
            sections[name] = promise, passes
    return sections


class Row:
    """The passes of one section, with what flags change."""

    def __init__(self, promise, passes):
        self.promise = promise
        self.passes = passes
        self.notes = [[] for _ in passes]     # of each pass
        self.added = [[] for _ in range(len(passes) + 1)]  # before each pass

    def vary(self, flags, passes):
        matcher = difflib.SequenceMatcher(None, self.passes, passes, False)
        for kind, begin, end, other, behind in matcher.get_opcodes():
            names = ", ".join(f"`{name}`" for name in passes[other:behind])
            if kind == "insert":
                self.added[begin].append(f"{names} (with {flags})")
            elif kind == "delete":
                for index in range(begin, end):
                    self.notes[index].append(f"not with {flags}")
            elif kind == "replace":
                self.notes[end - 1].append(f"{names} with {flags}")

    def cell(self):
        texts = []
        for added, name, notes in zip(self.added, self.passes, self.notes):
            note = f" ({'; '.join(notes)})" if notes else ""
            texts += added + [f"`{name}`{note}"]
        return ", ".join(texts + self.added[-1])


def table_of(graphc, cluster):
    rows = {name: Row(*section)
            for name, section in sections_of(graphc, []).items()}
    for flags, example in VARIANTS:
        example = [flag.format(cluster) for flag in example]
        before = None
        for name, (promise, passes) in sections_of(graphc, example).items():
            if name in rows:
                rows[name].vary(flags, passes)
            else:  # a section that only these flags have
                made = Row(f"{promise} (with {flags})", passes)
                names = list(rows)
                names.insert(names.index(before) + 1, name)
                rows = {n: rows.get(n, made) for n in names}
            before = name
    yield "| phase | passes, in order | what the phase promises |\n"
    yield "|---|---|---|\n"
    for name, row in rows.items():
        yield f"| `{name}` | {row.cell()} | {row.promise} |\n"


def main(graphc, page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"phase-table.py: '{page}' has no place for the table; write "
                 f"'{BEGIN.strip()}' and '{END.strip()}' there")
    with tempfile.TemporaryDirectory() as folder:
        cluster = os.path.join(folder, "cluster.json")
        with open(cluster, "w", encoding="utf-8") as file:
            file.write(CLUSTER)
        table = "".join(table_of(graphc, cluster))
    head, rest = text.split(BEGIN)
    sys.stdout.write(head + BEGIN + table + END + rest.split(END)[1])


if __name__ == "__main__":
    main(*sys.argv[1:])
