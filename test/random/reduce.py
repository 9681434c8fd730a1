# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program small: takes away graphs, fetches, ops and options as
long as it fails in the same way."""
import re

OP = re.compile(r"^\s*(%\w+(?:, %\w+)*) = tfir\.")
STATE = re.compile(r"^\s*tfir\.(assign|assign_add|assign_sub|assign_rows|minimize|ema)\b")
GRAPH = re.compile(r"^\s*tfir\.graph @(\w+)\((.*?)\)(?: -> \((.*)\))? \{$")
RETURN = re.compile(r"^\s*tfir\.return (.*) : (.*)$")


def head(name, feeds, fetches):
    """The first line of a graph; `feeds` and `fetches` are lists."""
    results = f" -> ({', '.join(fetches)})" if fetches else ""
    return f"  tfir.graph @{name}({', '.join(feeds)}){results} {{"


class Source:
    """The lines of a program, taken apart."""

    def __init__(self, text):
        self.lines = text.rstrip("\n").split("\n")

    def text(self):
        return "\n".join(self.lines) + "\n"

    def graphs(self):
        """(first line, last line) of each graph."""
        found, begin = [], None
        for i, line in enumerate(self.lines):
            if GRAPH.match(line):
                begin = i
            elif begin is not None and line == "  }":
                found.append((begin, i))
                begin = None
        return found


def split_types(text):
    """At the commas that are not inside < >."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += {"<": 1, ">": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    return [p for p in parts + [part.strip()] if p]


def uses(line):
    """The values that a line reads."""
    body = line.split(" = ", 1)[1] if OP.match(line) else line
    return set(re.findall(r"%\w+", body))


def clean(lines):
    """Without what nothing uses: ops, feeds, variables, datasets."""
    source = Source("\n".join(lines))
    for begin, end in reversed(source.graphs()):
        body = source.lines[begin + 1:end]
        needed, kept = set(), []
        for line in reversed(body):
            match = OP.match(line)
            if match and not needed & set(match.group(1).split(", ")):
                continue
            needed |= uses(line)
            kept.append(line)
        name, feeds, fetches = GRAPH.match(source.lines[begin]).groups()
        feeds = [f for f in split_types(feeds) if f.split(":")[0] in needed]
        source.lines[begin:end] = [
            head(name, feeds, split_types(fetches or ""))] + kept[::-1]
    text = source.text()

    def is_used(line):
        match = re.match(r"\s*tfir\.(?:variable|dataset) @(\w+)", line)
        return not match or len(re.findall(rf"@{match.group(1)}\b", text)) > 1
    return [line for line in source.lines if is_used(line)]


def without_graphs(lines):
    source = Source("\n".join(lines))
    graphs = source.graphs()
    for begin, end in graphs if len(graphs) > 1 else []:
        yield lines[:begin] + lines[end + 1:]


def with_fetches(lines, begin, end, keep):
    """The graph with those of its fetches whose places are in `keep`."""
    lines = list(lines)
    name, feeds, fetches = GRAPH.match(lines[begin]).groups()
    match = RETURN.match(lines[end - 1])
    if not match:
        return lines
    values, types = split_types(match.group(1)), split_types(match.group(2))
    fetches = split_types(fetches)
    lines[begin] = head(name, split_types(feeds), [fetches[i] for i in keep])
    line = (f"    tfir.return {', '.join(values[i] for i in keep)} : "
            f"{', '.join(types[i] for i in keep)}")
    lines[end - 1:end] = [line] if keep else []
    return lines


def fewer_fetches(lines):
    for begin, end in Source("\n".join(lines)).graphs():
        match = RETURN.match(lines[end - 1])
        count = len(split_types(match.group(1))) if match else 0
        if count > 1:
            for i in range(count):
                yield with_fetches(lines, begin, end, [i])
            for i in range(count):
                yield with_fetches(lines, begin, end,
                                   [j for j in range(count) if j != i])
        elif count == 1:
            yield with_fetches(lines, begin, end, [])


def without_state(lines):
    for i, line in enumerate(lines):
        if STATE.match(line):
            yield lines[:i] + lines[i + 1:]


def fed(lines):
    """One op's result as a feed of the graph."""
    for begin, end in Source("\n".join(lines)).graphs():
        for i in range(end - 1, begin, -1):
            match = OP.match(lines[i])
            if not match:
                continue
            results = match.group(1).split(", ")
            types = lines[i].rsplit("-> ", 1)[-1] if "->" in lines[i] else \
                lines[i].rsplit(" : ", 1)[-1]
            types = split_types(types.strip("()"))
            if len(types) != len(results):
                continue
            name, feeds, fetches = GRAPH.match(lines[begin]).groups()
            feeds = split_types(feeds) + [
                f"{r}: {t}" for r, t in zip(results, types)]
            first = head(name, feeds, split_types(fetches or ""))
            yield (lines[:begin] + [first] + lines[begin + 1:i] + lines[i + 1:])


def simpler(lines):
    """Without devices and with plainer options."""
    without = [re.sub(r'(, )?device = "[^"]*"', "", line) for line in lines]
    yield [line.replace(" {}", "") for line in without]
    for pattern in (r" resume=\w+", r" gpus=\d+", r" canonical=1",
                    r" threads=\d+", r" devices=\S+"):
        yield [re.sub(pattern, "", line) if line.startswith("// check:")
               else line for line in lines]
    yield [re.sub(r"steps=\d+", "steps=1", line) for line in lines]
    for i, line in enumerate(lines):
        plain = re.sub(r'(, )?device = "[^"]*"', "", line).replace(" {}", "")
        if plain != line:
            yield lines[:i] + [plain] + lines[i + 1:]


def reduce_program(text, fails, tries=400):
    """The smallest program found for which `fails` holds, as it does for
    `text`."""
    lines = Source(text).lines
    changed = True
    while changed and tries > 0:
        changed = False
        for shrink in (without_graphs, simpler, fewer_fetches, without_state,
                       fed):
            for candidate in shrink(lines):
                candidate = clean(candidate)
                if candidate == lines or tries <= 0:
                    continue
                tries -= 1
                if fails("\n".join(candidate) + "\n"):
                    lines, changed = candidate, True
                    break
    return "\n".join(lines) + "\n"
