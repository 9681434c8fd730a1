# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tokens of a text and their classes by the rules of docs/language.md, independent of
the grammars of editors."""
import re

TOKEN = re.compile(
    r"(?P<blank>[ \t\r]+)|(?P<newline>\n)|(?P<comment>#[^\n]*)"
    r"|(?P<word>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*(?=\())?)"
    r"|(?P<number>0[xX][0-9a-fA-F]*"
    r"|(?:[0-9]+(?:\.(?!\.)[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r'|(?P<string>"(?:\\.|[^"\\\n])*"|`[^`\n]*`)'
    r"|(?P<symbol>\.\.\.|\.\.|->|[:+*/=!<>-]=|//|\*\*|[-+*/%@<>=()\[\]{},:;?.])",
    re.A)
CONSTANTS = {"true", "false", "inf", "nan", "forever"}
PUNCTUATION = set("()[]{},:;.")


class Classifier:
    """Classes of the tokens of one text: a walk with the brackets that are open."""

    def __init__(self, text, keywords, types):
        self.keywords, self.types = set(keywords), set(types)
        self.tokens = []
        at = 0
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise ValueError(f"no token at {text[at:at + 20]!r}")
            if found.lastgroup != "blank":
                self.tokens.append((at, found.group(), found.lastgroup))
            at = found.end()

    def run(self):
        """(start, token, class) of each; class '' for names and punctuation."""
        self.open = []
        self.settings = ""  # '', 'before =', 'behind =' of dataset and variable
        self.before = ("", "newline")
        for i, (start, token, kind) in enumerate(self.tokens):
            behind = [t for t in self.tokens[i + 1:i + 3] if t[2] != "comment"]
            follows = behind[0][1] if behind else ""
            name = self.word(token, follows) if kind == "word" else None
            self.follow(token, kind)
            if kind == "newline":
                continue
            if kind == "symbol":
                yield start, token, "" if token in PUNCTUATION else "operator"
            else:
                yield start, token, name if name is not None else kind

    def word(self, token, follows):
        inner = self.open[-1] if self.open else ""
        at_settings = self.settings == "behind =" and inner in ("", "{")
        if follows == "=" and (inner == "(" or at_settings):
            return "attribute"
        if self.before[0] == ":" and inner != "[":
            return "type"
        if token in CONSTANTS:
            return "constant"
        if token in self.keywords:
            return "keyword"
        if follows == "(":
            return "function"
        return "type" if token in self.types else ""

    def follow(self, token, kind):
        """Keeps where the walk is: brackets, and the settings of a statement."""
        if kind == "comment":
            return
        inner = self.open[-1] if self.open else ""
        if kind == "word" and token in ("dataset", "variable") and inner in ("", "{"):
            if self.before[1] == "newline" or self.before[0] in (";", "{"):
                # The fields of a dataset have no '='; its name is no setting.
                self.settings = "behind =" if token == "dataset" else "before ="
        elif token == "=" and self.settings == "before =" and inner in ("", "{"):
            self.settings = "behind ="
        ends = kind == "newline" and inner in ("", "{") and not (
            self.before[1] == "symbol" and self.before[0] not in (")", "]", "?", "}", ";")
            or self.before[0] in ("and", "or", "not"))
        if ends or token in (";", "}") and kind == "symbol":
            self.settings = ""
        if kind == "symbol" and token in ("(", "[", "{"):
            self.open.append(token)
        elif kind == "symbol" and token in (")", "]", "}") and self.open:
            self.open.pop()
        if kind != "newline" or ends:
            self.before = (token, kind)


def classify(text, keywords, types):
    return list(Classifier(text, keywords, types).run())


def compare(text, expected, coloured):
    """Differences between the classes of tokens and those of an editor's grammar, which
    has one class for each character; as lines."""
    for start, token, wanted in expected:
        got = set(coloured[start:start + len(token)])
        if got != {wanted}:
            line = text.count("\n", 0, start) + 1
            shown = ", ".join(repr(each) for each in sorted(got))
            yield f"line {line}: {token!r} is {wanted!r}, but has the colour {shown}"
