# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collects the texts of the repository: examples, blocks of pages, test inputs."""
import glob
import os
import re

FOLDERS = ("examples", "bench", "deploy", "test/examples", "test/lib/text",
           "test/models", "test/tools")
IS_TEXT = re.compile(r"\s*(?:#.*\n\s*)*tfir[ \t]+[0-9]")
BLOCK = re.compile(r"^```tfir\n(.*?)^```", re.M | re.S)
# Inputs whose syntax is wrong on purpose.
WRONG = re.compile(r"mistake|wrong|error|bad|invalid|diagnostic")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def parts_of(path):
    """The texts in a file: blocks of a page, parts of a test input, or the whole."""
    content = read(path)
    if path.endswith(".md"):
        parts = BLOCK.findall(content)
    else:
        parts = re.split(r"^// -----.*\n", content, flags=re.M)
    return [part for part in parts if IS_TEXT.match(part)]


def all_texts(source):
    """(name, text) of each text in a checkout, and of Inputs."""
    paths = sorted(glob.glob(f"{source}/docs/*.md")
                   + glob.glob(f"{source}/*.md")
                   + glob.glob(f"{source}/examples/**/*.md", recursive=True))
    for folder in FOLDERS:
        paths += sorted(glob.glob(f"{source}/{folder}/**/*.tfir", recursive=True))
    paths += sorted(glob.glob(f"{source}/test/editors/Inputs/*.tfir"))
    for path in paths:
        name = os.path.relpath(path, source)
        if WRONG.search(os.path.basename(path)):
            continue
        for number, part in enumerate(parts_of(path)):
            yield f"{name}#{number}", part


def keywords(source):
    """The words of isKeyword() in the lexer."""
    code = read(f"{source}/lib/text/syntax/Lexer.cpp")
    body = re.search(r"bool isKeyword\(.*?\{(.*?)\};", code, re.S).group(1)
    return re.findall(r'"(\w+)"', body)


def types(source):
    """The names that elementType() knows."""
    code = read(f"{source}/lib/text/Types.cpp")
    body = re.search(r"\nType elementType\(.*?\n\}", code, re.S).group(0)
    return re.findall(r'name == "(\w+)"', body)
