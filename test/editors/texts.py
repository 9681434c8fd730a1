# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Collects the texts of the repository: examples, blocks of pages, test inputs."""
import glob
import os
import re
import subprocess
import tempfile

FOLDERS = ("examples", "bench", "deploy", "test/examples", "test/lib/text",
           "test/models", "test/tools")
IS_TEXT = re.compile(r"\s*(?:#.*\n\s*)*tfir[ \t]+[0-9]")
BLOCK = re.compile(r"^```tfir\n(.*?)^```", re.M | re.S)


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


def is_parsed(text):
    """True for a text without errors of syntax, as graphc-fmt finds them."""
    with tempfile.NamedTemporaryFile("w", suffix=".tfir", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return subprocess.run(["graphc-fmt", file.name], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0


def all_texts(source):
    """(name, text) of each text in a checkout, without the inputs of other tests that
    are wrong on purpose."""
    paths = sorted(glob.glob(f"{source}/docs/*.md")
                   + glob.glob(f"{source}/*.md")
                   + glob.glob(f"{source}/examples/**/*.md", recursive=True))
    for folder in FOLDERS:
        paths += sorted(glob.glob(f"{source}/{folder}/**/*.tfir", recursive=True))
    paths += [f"{source}/test/editors/Inputs/{name}.txt" for name in ("tokens", "else")]
    for path in paths:
        name = os.path.relpath(path, source)
        may_be_wrong = name.startswith("test/") and "/editors/" not in name
        for number, part in enumerate(parts_of(path)):
            if not may_be_wrong or is_parsed(part):
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
