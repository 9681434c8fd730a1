#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Parses the texts by the tree-sitter grammar, which must find no error in them and one in
# each of the wrong ones, and compares the captures of its highlights with the classes
# that the rules of the language give each token.
#
#   check_tree_sitter.py SOURCE FOLDER [FILE...]    works in FOLDER, with all texts of a
#                                                   checkout, or these files
import hashlib
import os
import subprocess
import sys

import texts
import tokens

CLASSES = {"comment": "comment", "keyword": "keyword", "constant.builtin": "constant",
           "number": "number", "string": "string", "operator": "operator",
           "type": "type", "function": "function", "attribute": "attribute"}


class Run:
    """What highlight-texts prints of texts: errors and captures of each."""

    def __init__(self, grammar, folder, cases):
        paths = [os.path.join(folder, f"{i}.tfir") for i in range(len(cases))]
        for path, (_, text) in zip(paths, cases):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run(
            ["highlight-texts", f"{grammar}/queries/highlights.scm", *paths],
            stdout=subprocess.PIPE, text=True, check=True)
        self.errors = [[] for _ in cases]
        self.captures = [[] for _ in cases]
        for line in done.stdout.splitlines():
            path, what, begin, end = line.rsplit(":", 3)
            i = int(os.path.basename(path)[:-len(".tfir")])
            if what == "error":
                self.errors[i].append(f"{begin}:{end}")
            else:
                self.captures[i].append((what, int(begin), int(end)))

    def coloured(self, i, text):
        """The class of each character, or several, which is an error."""
        # Offsets are those of bytes.
        at, offsets = 0, {}
        for index, character in enumerate(text + "\n"):
            offsets[at] = index
            at += len(character.encode())
        colours = [""] * len(text)
        for what, begin, end in self.captures[i]:
            for index in range(offsets[begin], offsets[end]):
                if colours[index] not in ("", CLASSES[what]):
                    colours[index] += " and " + CLASSES[what]
                else:
                    colours[index] = CLASSES[what]
        return colours


def check_words(source, grammar, folder):
    """The words and types of the language that the grammar does not know."""
    rules = texts.read(f"{grammar}/grammar.js")
    for word in texts.keywords(source):
        if f"'{word}'" not in rules:
            yield f"grammar.js: it has no '{word}', which is a word of the language"
    names = texts.types(source)
    run = Run(grammar, folder, [("", f"tfir 1\nlet a = {name}\n") for name in names])
    for i, name in enumerate(names):
        if ("type", 15, 15 + len(name)) not in run.captures[i]:
            yield f"highlights.scm: '{name}' is a type; add it to the pattern of types"


def check_fresh(grammar):
    with open(f"{grammar}/grammar.js", "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    if digest not in texts.read(f"{grammar}/src/parser.c")[:400]:
        yield ("parser.c: it is not made from this grammar.js; run "
               "tools/editors/tree-sitter/generate")


def main(source, folder, files):
    grammar = f"{source}/tools/editors/tree-sitter"
    words = texts.keywords(source), texts.types(source)
    cases = [(f, texts.read(f)) for f in files] or list(texts.all_texts(source))
    run = Run(grammar, folder, cases)
    differences = [*check_fresh(grammar), *check_words(source, grammar, folder)]
    count = 0
    for i, (name, text) in enumerate(cases):
        differences += [f"{name}: an error at {at}" for at in run.errors[i]]
        expected = tokens.classify(text, *words)
        count += len(expected)
        differences += [f"{name}: {difference}" for difference in
                        tokens.compare(text, expected, run.coloured(i, text))]
    if not files:
        wrong = texts.read(f"{source}/test/editors/Inputs/wrong.txt").split("---\n")
        run = Run(grammar, folder, [("", text) for text in wrong])
        differences += [f"wrong.txt: no error in {text!r}"
                        for i, text in enumerate(wrong) if not run.errors[i]]
    for difference in differences:
        print(difference)
    print(f"{len(cases)} texts, {count} tokens, {len(differences)} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
