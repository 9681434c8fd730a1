#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks the files of the VS Code extension: they are JSON, the paths in package.json lead
# to files, one language has one name, patterns compile, settings have defaults of their
# types, texts are found by their first line, and pages name settings that there are.
#
#   check_extension.py SOURCE
import json
import os
import re
import sys
import tomllib

import texts

JSON_TYPES = {"array": list, "string": str, "integer": int, "null": type(None)}
INDENTED = ("graph g() -> () {", "func f(x) { # a body", "y = f(", 'scope "{n}" {')
PLAIN = ("x = 1", 'text = "{"', "# a {", "if n { y = 1 }")


def patterns(value):
    """The regular expressions in a grammar."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("match", "begin", "end"):
                yield inner
            yield from patterns(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from patterns(inner)


def problems(source):
    folder = f"{source}/tools/editors/vscode"
    found = {}
    for name in ("package.json", "language-configuration.json",
                 "syntaxes/graphc.tmLanguage.json"):
        try:
            found[name] = json.loads(texts.read(f"{folder}/{name}"))
        except ValueError as error:
            yield f"{name}: it is no JSON: {error}"
            return
    package, configuration, grammar = found.values()
    contributes = package["contributes"]
    language, = contributes["languages"]
    paths = [package["main"], language["configuration"], "README.md"]
    paths += [each["path"] for each in contributes["grammars"]]
    for path in paths:
        if not os.path.isfile(os.path.join(folder, path)):
            yield f"package.json: '{path}' leads to no file"
    for each in contributes["grammars"]:
        if each["language"] != language["id"]:
            yield f"package.json: there is no language '{each['language']}'"
        if each["scopeName"] != grammar["scopeName"]:
            yield "package.json: the grammar has another scopeName"
    for name, setting in contributes["configuration"]["properties"].items():
        types = setting["type"]
        types = types if isinstance(types, list) else [types]
        if not isinstance(setting["default"], tuple(JSON_TYPES[t] for t in types)):
            yield f"package.json: the default of '{name}' is not of its type"
        if f"'{name.split('.')[1]}'" not in texts.read(f"{folder}/extension.js"):
            yield f"extension.js: it does not read '{name}'"
    for page in (f"{folder}/README.md", f"{source}/docs/editor.md"):
        for name in set(re.findall(r"[`\"](graphc\.(?!so\b)\w+)[`\"]", texts.read(page))):
            if name not in contributes["configuration"]["properties"]:
                yield f"{os.path.basename(page)}: there is no setting '{name}'"
    page = texts.read(f"{source}/docs/editor.md")
    for block in re.findall(r"^```json\n(.*?)^```", page, re.M | re.S):
        json.loads(block)
    for block in re.findall(r"^```toml\n(.*?)^```", page, re.M | re.S):
        tomllib.loads(block)
    for pattern in patterns(grammar):
        re.compile(pattern)
    for name, text in texts.all_texts(source):
        first = re.sub(r"\A(?:\s*#.*\n|\s*\n)*", "", text).split("\n")[0]
        if not re.search(language["firstLine"], first):
            yield f"package.json: firstLine does not match that of {name}"
    increase = re.compile(configuration["indentationRules"]["increaseIndentPattern"])
    for line in INDENTED + PLAIN:
        if bool(increase.search(line)) != (line in INDENTED):
            yield f"language-configuration.json: '{line}' indents wrongly"


def main(source):
    lines = list(problems(source))
    for line in lines:
        print(line)
    print(f"{len(lines)} problems")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
