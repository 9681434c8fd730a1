#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares the scopes that the TextMate grammar gives each token of the texts with the
# classes that the rules of the language give it.
#
#   check_textmate.py SOURCE [FILE...]    all texts of a checkout, or these files
import sys

import texts
import textmate
import tokens

# The class of a scope: that of the longest beginning.
CLASSES = {
    "": "", "meta": "", "variable": "", "comment": "comment", "string": "string",
    "constant.character": "string", "constant.other.placeholder": "string",
    "constant.numeric": "number", "constant.language": "constant",
    "storage.type": "keyword", "storage.type.element": "type",
    "keyword.control": "keyword", "keyword.operator": "operator",
    "keyword.operator.logical": "keyword", "entity.name.function": "function",
    "entity.other.attribute-name": "attribute",
}


def class_of(scope):
    parts = scope.split(".")
    while parts and ".".join(parts) not in CLASSES:
        parts.pop()
    return CLASSES[".".join(parts)]


def main(source, files):
    words = texts.keywords(source), texts.types(source)
    grammar = textmate.Grammar(
        f"{source}/tools/editors/vscode/syntaxes/graphc.tmLanguage.json")
    failed = count = 0
    for name, text in ([(f, texts.read(f)) for f in files]
                       or texts.all_texts(source)):
        coloured = [class_of(scope) for scope in grammar.scopes(text)]
        expected = tokens.classify(text, *words)
        count += len(expected)
        for difference in tokens.compare(text, expected, coloured):
            print(f"{name}: {difference}")
            failed += 1
    # Each word by itself, whether or not a text has it.
    for word in words[0] + words[1]:
        wanted = ("constant" if word in tokens.CONSTANTS
                  else "keyword" if word in words[0] else "type")
        got = class_of(grammar.scopes(f"{word} \n")[0])
        if got != wanted:
            print(f"graphc.tmLanguage.json: '{word}' is a {wanted} of the language, but "
                  f"has the colour '{got}'; name it in the grammar")
            failed += 1
    print(f"{count} tokens, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
