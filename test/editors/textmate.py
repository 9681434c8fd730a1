# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interpreter of TextMate grammars: match and begin/end rules, captures, includes.
Regular expressions must mean the same to Python and to Oniguruma."""
import json
import re


class Grammar:
    """A grammar that divides lines into scopes."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.root = json.load(file)
        self.compiled = {}

    def search(self, pattern, line, at):
        if pattern not in self.compiled:
            self.compiled[pattern] = re.compile(pattern, re.A)
        return self.compiled[pattern].search(line, at)

    def rules(self, patterns):
        """The match and begin/end rules that patterns stand for, in their order."""
        for rule in patterns:
            if "include" in rule:
                target = rule["include"]
                if target == "$self":
                    yield from self.rules(self.root["patterns"])
                else:
                    yield from self.rules([self.root["repository"][target[1:]]])
            elif "match" in rule or "begin" in rule:
                yield rule
            else:
                yield from self.rules(rule["patterns"])

    def scopes(self, text):
        """The innermost scope of each character; '' outside of all."""
        result = []
        stack = []
        for line in text.splitlines(keepends=True):
            result += self.line(line if line.endswith("\n") else line + "\n",
                                stack)[:len(line)]
        return result

    def line(self, line, stack):
        scopes = [""] * len(line)

        def paint(begin, end, name):
            if name:
                scopes[begin:end] = [name] * (end - begin)

        def paint_captures(found, captures):
            for group, capture in (captures or {}).items():
                if found.start(int(group)) >= 0:
                    paint(*found.span(int(group)), capture["name"])

        at, steps = 0, 0
        while True:
            steps += 1
            assert steps < 10 * len(line) + 100, f"endless rules at {line!r}"
            top = stack[-1] if stack else None
            patterns = top.get("patterns", []) if top else self.root["patterns"]
            best, chosen = None, None
            if top:
                best, chosen = self.search(top["end"], line, at), "end"
            for rule in self.rules(patterns):
                found = self.search(rule.get("match") or rule["begin"], line, at)
                if found and (best is None or found.start() < best.start()):
                    best, chosen = found, rule
            inside = next((r["name"] for r in reversed(stack) if r.get("name")), "")
            if best is None:
                paint(at, len(line), inside)
                return scopes
            paint(at, best.start(), inside)
            if chosen == "end":
                paint(*best.span(), top.get("name"))
                paint_captures(best, top.get("endCaptures"))
                stack.pop()
            else:
                paint(*best.span(), chosen.get("name") or inside)
                captures = "captures" if "match" in chosen else "beginCaptures"
                paint_captures(best, chosen.get(captures))
                if "begin" in chosen:
                    stack.append(chosen)
            at = best.end()
