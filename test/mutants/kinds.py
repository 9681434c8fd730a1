# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The kinds of mutants: for each, the places of a file where one can be planted
# and what is written there.
import dataclasses
import re

import cpp

OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
             "+": "-", "-": "+", "+=": "-=", "-=": "+=", "&&": "||",
             "||": "&&"}
KEYWORDS = ("if", "for", "while", "switch", "return", "catch", "sizeof",
            "alignof", "decltype", "defined", "operator", "co_await", "delete",
            "new", "else", "case", "do", "goto", "using", "throw")

# Calls whose arguments may stand in any order; `a` and `b` build arithmetic.
COMMUTES = re.compile(r"std::(max|min)$|(?<![\w.])[ab]\.(add|mul)$")


@dataclasses.dataclass(frozen=True)
class Mutant:
    """One change of one place of one file."""
    path: str
    line: int
    column: int
    kind: str
    variant: int
    begin: int
    end: int
    text: str   # what stands there instead
    change: str  # for people

    @property
    def name(self):
        """The id by which it is planted again."""
        return (f"{self.path}:{self.line}:{self.column}:{self.kind}"
                f":{self.variant}")


class Source:
    """A file in the three forms that the kinds look at."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.code = cpp.code_of(text)
        self.live = cpp.live_of(self.code)
        self.inside = cpp.bodies_of(self.code)
        self.starts = [0] + [m.end() for m in re.finditer("\n", text)]

    def mutant(self, kind, variant, begin, end, text):
        line = self.text.count("\n", 0, begin)
        old = " ".join(self.text[begin:end].split())
        new = " ".join(text.split())
        # Lines keep their numbers, so that nothing else of the object changes.
        text += "\n" * (self.text.count("\n", begin, end) - text.count("\n"))
        return Mutant(self.path, line + 1, begin - self.starts[line] + 1, kind,
                      variant, begin, end, text, f"'{old}' -> '{new}'")


def operators(source):
    """A comparison, a sum or a connective becomes its neighbour."""
    pattern = r"(?<=\s)(<=|>=|==|!=|\+=|-=|&&|\|\||<|>|\+|-)(?=\s)"
    for found in re.finditer(pattern, source.live):
        if source.inside[found.start()]:
            yield source.mutant("operator", 0, found.start(), found.end(),
                                OPERATORS[found.group(0)])


def constants(source):
    """A number becomes one more, one less or the double."""
    pattern = r"(?<![\w.'])(\d[\d']*)(\.\d+)?(?:[eE][+-]?\d+)?([uUlLfF]*)\b(?![.'])"
    for found in re.finditer(pattern, source.live):
        begin, end = found.span()
        around = source.live[max(0, begin - 60):begin], source.live[end:end + 2]
        # Sizes of arrays and of what lies on the stack are no decisions.
        if (re.search(r"<[^<>;(){}]*$", around[0]) and around[1][:1] == ">"
                or re.search(r"\w\[$", around[0]) and around[1] == "];"):
            continue
        if not source.inside[begin] and not re.search(r"\bk\w+ = [^;]*$",
                                                      around[0]):
            continue
        whole = found.group(0)
        texts = [f"({whole} + 1)", f"({whole} - 1)", f"({whole} * 2)"]
        if found.group(1).strip("0'") == "":
            texts = texts[:1]
        for variant, text in enumerate(texts):
            yield source.mutant("constant", variant, begin, end, text)


def conditions_of(source):
    """The conditions of `if` and what a `return` of several terms returns."""
    for found in re.finditer(r"\bif \(", source.live):
        opening = found.end() - 1
        end = cpp.closing(source.code, opening)
        if end is None or not source.inside[opening]:
            continue
        pieces, _ = cpp.split_at(source.code, opening + 1, end, [";"])
        yield True, cpp.trimmed(source.code, pieces[-1])
    for found in re.finditer(r"\breturn\s", source.live):
        end = cpp.end_of_statement(source.code, found.end())
        yield False, cpp.trimmed(source.code, (found.end(), end))


def conditions(source):
    """A condition is negated, or one of its terms is dropped."""
    for is_if, (begin, end) in conditions_of(source):
        text = source.text[begin:end]
        if re.search(r"[^=!<>]=[^=]", source.code[begin:end]):
            continue  # a declaration, or a lambda
        variant = 0
        if is_if:
            yield source.mutant("condition", 0, begin, end, f"!({text})")
        # Of mixed terms the outer connective is `||`.
        for connective in ("||", "&&"):
            pieces, found = cpp.split_at(source.code, begin, end, [connective])
            if not found:
                continue
            for number in range(len(pieces)):
                variant += 1
                rest = [source.text[b:e].strip()
                        for i, (b, e) in enumerate(pieces) if i != number]
                yield source.mutant("condition", variant, begin, end,
                                    f" {connective} ".join(rest))
            break


def arguments(source):
    """Two arguments of a call that stand side by side are swapped."""
    for found in re.finditer(r"(?<![\w~])([\w:]*\w)(?:<[^<>;(){}]*>)?\(",
                             source.live):
        opening = found.end() - 1
        end = cpp.closing(source.code, opening)
        if (found.group(1) in KEYWORDS or end is None
                or not source.inside[opening]
                or COMMUTES.search(source.live[:found.end(1)][-40:])):
            continue
        pieces, commas = cpp.split_at(source.code, opening + 1, end, [","])
        pieces = [cpp.trimmed(source.code, piece) for piece in pieces]
        texts = [source.text[b:e] for b, e in pieces]
        if not commas or any(re.match(r"(const )?[\w:<>]+ [&*]*\w+$", t)
                             or t.startswith("[") for t in texts):
            continue  # parameters of a declaration or of a lambda
        for i in range(len(commas)):
            if texts[i] == texts[i + 1]:
                continue
            (begin, first), (second, last) = pieces[i], pieces[i + 1]
            between = source.text[first:second]
            yield source.mutant("arguments", i, begin, last,
                                texts[i + 1] + between + texts[i])


def calls(source):
    """A statement that is nothing but a call is dropped."""
    pattern = r"(?<=[;{})])(\s*)(?:\([^()]*\)\s*)?(?=[A-Za-z_])"
    for found in re.finditer(pattern, source.code):
        begin = found.end()
        if not source.inside[begin] or source.live[begin].isspace():
            continue
        end = cpp.end_of_statement(source.code, begin)
        statement = source.code[begin:end]
        if (source.code[end:end + 1] != ";"
                or not re.match(r"[\w:.>()\[\]*&-]+(?:<[^<>]*>)?\(", statement)
                or statement.split("(")[0].strip() in KEYWORDS
                or not statement.rstrip().endswith(")")
                or re.match(r"[\w:]+(?:<[^;]*>)? \w", statement)):
            continue
        yield source.mutant("call", 0, begin, end, "")


def guards(source):
    """An early way out is dropped."""
    for found in re.finditer(r"\bif (constexpr )?\(", source.live):
        if found.group(1) or not source.inside[found.start()]:
            continue
        closed = cpp.closing(source.code, found.end() - 1)
        way = closed and re.compile(r"\s*(return|continue|break)\b").match(
            source.code, closed + 1)
        if not way:
            continue
        end = cpp.end_of_statement(source.code, way.start(1))
        if re.compile(r"\s*else\b").match(source.code, end + 1):
            continue
        if re.search(r"else\s*$", source.code[:found.start()]):
            continue
        yield source.mutant("guard", 0, found.start(), end, "")


KINDS = {"operator": operators, "constant": constants, "condition": conditions,
         "arguments": arguments, "call": calls, "guard": guards}


def mutants_of(path, text):
    """All mutants of a file, in the order of the kinds."""
    source = Source(path, text)
    return [mutant for kind in KINDS.values() for mutant in kind(source)]
