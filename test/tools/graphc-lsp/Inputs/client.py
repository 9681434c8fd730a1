#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Client of graphc-lsp for tests: runs commands and prints answers to read.

    client.py [--server=graphc-lsp] [--option=batch=4] FOLDER < COMMANDS

Each line of the commands is one; files are in FOLDER:

    open FILE                      and print its problems
    change FILE OLD NEW            and print its problems
    hover|complete|signature|definition|references|highlights|prepare FILE PLACE
    rename FILE PLACE NAME
    fixes FILE PLACE
    hints|symbols|folds|format|colors FILE
    save|close FILE
    stress FILE COUNT              all requests about texts with parts cut out

A PLACE is a text of the file: the cursor stands at its begin, or where it has a `|`.
`PLACE#2` is the second one.
"""
import json
import pathlib
import random
import shlex
import subprocess
import sys


class Client:
    def __init__(self, server, folder):
        self.folder = folder
        self.texts = {}
        self.version = 0
        self.next_id = 0
        self.problems = {}
        self.process = subprocess.Popen(server, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self):
        length = 0
        while line := self.process.stdout.readline().strip():
            name, value = line.split(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            sys.exit("the server has ended")
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params, quiet=False):
        self.next_id += 1
        self.send(id=self.next_id, method=method, params=params)
        while True:
            message = self.receive()
            if message.get("id") == self.next_id:
                if "error" in message:
                    if quiet:
                        return None
                    print("error:", message["error"]["message"])
                    return None
                return message["result"]
            if message["method"] == "textDocument/publishDiagnostics":
                self.problems[message["params"]["uri"]] = message["params"]
            else:
                print("notified:", message["method"], message["params"]["message"])

    def uri(self, name):
        return (self.folder / name).absolute().as_uri()

    def about(self, name, **more):
        return {"textDocument": {"uri": self.uri(name)}, **more}

    def position(self, name, place):
        place, _, number = place.partition("#")
        cursor = place.find("|")
        text, offset = self.texts[name], -1
        for _ in range(int(number or 1)):
            offset = text.find(place.replace("|", ""), offset + 1)
            if offset < 0:
                sys.exit(f"'{place}' is not in {name}")
        before = text[: offset + max(cursor, 0)]
        line = before.rsplit("\n", 1)[-1]
        return {"line": before.count("\n"),
                "character": len(line.encode("utf-16-le")) // 2}

    def print_problems(self, name):
        self.ask("textDocument/foldingRange", self.about(name))
        found = self.problems.get(self.uri(name), {"diagnostics": []})["diagnostics"]
        for each in found:
            kind = {1: "error", 2: "warning"}.get(each["severity"], "note")
            print(f"{name}:{show(each['range'])}: {kind}: {each['message']}")
            for note in each.get("relatedInformation") or []:
                print(f"  {show(note['location']['range'])}: {note['message']}")
        if not found:
            print(f"{name}: no problems")

    def open(self, name):
        self.texts[name] = (self.folder / name).read_text()
        self.version += 1
        self.send(method="textDocument/didOpen", params={"textDocument": {
            "uri": self.uri(name), "languageId": "graphc",
            "version": self.version, "text": self.texts[name]}})
        self.print_problems(name)

    def change(self, name, old, new):
        old, new = (text.replace("\\n", "\n") for text in (old, new))
        if old not in self.texts[name]:
            sys.exit(f"'{old}' is not in {name}")
        self.texts[name] = self.texts[name].replace(old, new, 1)
        self.version += 1
        params = self.about(name, contentChanges=[{"text": self.texts[name]}])
        params["textDocument"]["version"] = self.version
        self.send(method="textDocument/didChange", params=params)
        self.print_problems(name)

    def at(self, method, name, place, **more):
        return self.ask("textDocument/" + method, self.about(
            name, position=self.position(name, place), **more))

    def hover(self, name, place):
        answer = self.at("hover", name, place)
        print(answer["contents"]["value"].rstrip() if answer else "nothing")

    def complete(self, name, place):
        answer = self.at("completion", name, place)
        items = answer["items"] if isinstance(answer, dict) else answer
        for item in sorted(items, key=lambda i: i.get("sortText", i["label"])):
            print(" ", item["label"], "-", item.get("detail", ""), "-",
                  item.get("documentation", ""))
        print(len(items), "items")

    def signature(self, name, place):
        answer = self.at("signatureHelp", name, place)
        if not answer:
            return print("nothing")
        (one,) = answer["signatures"]
        active = answer["activeParameter"]
        print(one["label"], "-", one["documentation"], "- at",
              one["parameters"][active]["label"]
              if active < len(one["parameters"]) else "none")

    def definition(self, name, place):
        answer = self.at("definition", name, place)
        for each in answer if isinstance(answer, list) else [answer]:
            print(self.location(each) if each else "nothing")

    def references(self, name, place):
        for each in self.at("references", name, place,
                            context={"includeDeclaration": True}):
            print(self.location(each))

    def highlights(self, name, place):
        print(*[show(each["range"]) + ("w" if each["kind"] == 3 else "r")
                for each in self.at("documentHighlight", name, place)])

    def location(self, each):
        return (pathlib.PurePosixPath(each["uri"]).name + ":"
                + show(each["range"]))

    def prepare(self, name, place):
        answer = self.at("prepareRename", name, place)
        if answer:
            print(show(answer["range"]), answer["placeholder"])

    def rename(self, name, place, new):
        answer = self.at("rename", name, place, newName=new)
        if answer:
            self.print_changed(name, answer["changes"][self.uri(name)])

    def print_changed(self, name, edits):
        """Prints the lines that the edits change."""
        lines = self.texts[name].split("\n")
        changed = set()
        for edit in sorted(edits, key=lambda e: str(show(e["range"])), reverse=True):
            start, end = edit["range"]["start"], edit["range"]["end"]
            if start["line"] != end["line"]:
                return print(edit["newText"], end="")
            line = lines[start["line"]].encode("utf-16-le")
            lines[start["line"]] = (
                line[: 2 * start["character"]] + edit["newText"].encode("utf-16-le")
                + line[2 * end["character"]:]).decode("utf-16-le")
            changed.add(start["line"])
        for line in sorted(changed):
            print(f"{line + 1}: {lines[line]}")

    def fixes(self, name, place):
        position = self.position(name, place)
        for each in self.ask("textDocument/codeAction", self.about(
                name, range={"start": position, "end": position},
                context={"diagnostics": []})):
            print(each["title"])
            self.print_changed(name, each["edit"]["changes"][self.uri(name)])

    def hints(self, name):
        whole = {"start": {"line": 0, "character": 0},
                 "end": {"line": 1 << 20, "character": 0}}
        for each in self.ask("textDocument/inlayHint", self.about(
                name, range=whole)) or []:
            position = each["position"]
            line = self.texts[name].split("\n")[position["line"]]
            before = line.encode("utf-16-le")[: 2 * position["character"]]
            print(f"{position['line'] + 1}: "
                  f"{before.decode('utf-16-le').strip()}{each['label']}")

    def symbols(self, name):
        for each in self.ask("textDocument/documentSymbol", self.about(name)):
            print(each["name"], each["kind"], show(each["range"]),
                  show(each["selectionRange"]))

    def folds(self, name):
        for each in self.ask("textDocument/foldingRange", self.about(name)):
            print(f"{each['startLine'] + 1} to {each['endLine'] + 1}")

    def format(self, name):
        edits = self.ask("textDocument/formatting", self.about(
            name, options={"tabSize": 2, "insertSpaces": True}))
        if edits is not None:
            print(edits[0]["newText"] if edits else "as it is")

    def colors(self, name):
        legend = self.legend
        data = self.ask("textDocument/semanticTokens/full", self.about(name))["data"]
        line = column = 0
        lines = self.texts[name].split("\n")
        for i in range(0, len(data), 5):
            down, right, length, kind, modifiers = data[i:i + 5]
            line, column = line + down, right if down else column + right
            word = lines[line].encode("utf-16-le")[2 * column: 2 * (column + length)]
            names = [name for bit, name in enumerate(legend["tokenModifiers"])
                     if modifiers >> bit & 1]
            print(f"{line + 1}:{column + 1}", word.decode("utf-16-le"),
                  legend["tokenTypes"][kind], *names)

    def stress(self, name, count):
        """Sends requests at random places of texts that are no good."""
        draw = random.Random(1)
        whole = self.texts[name]
        methods = ["hover", "completion", "signatureHelp", "definition",
                   "references", "documentHighlight", "prepareRename"]
        for _ in range(int(count)):
            begin, end = sorted(draw.randrange(len(whole)) for _ in range(2))
            text = whole[:begin] + draw.choice(["", "(", "}", '"', "{"]) + (
                whole[min(end, begin + draw.choice([1, 5, 100, 10000])):])
            if not text.startswith("tfir 1"):
                text = "tfir 1\n" + text
            self.version += 1
            params = self.about(name, contentChanges=[{"text": text}])
            params["textDocument"]["version"] = self.version
            self.send(method="textDocument/didChange", params=params)
            lines = text.split("\n")
            for method in methods:
                line = draw.randrange(len(lines) + 1)
                self.ask("textDocument/" + method, self.about(name, position={
                    "line": line, "character": draw.randrange(80)},
                    context={"includeDeclaration": True}), quiet=True)
            for method in ("documentSymbol", "foldingRange", "formatting",
                           "semanticTokens/full"):
                self.ask("textDocument/" + method, self.about(name), quiet=True)
            self.ask("textDocument/inlayHint", self.about(name, range={
                "start": {"line": 0, "character": 0},
                "end": {"line": len(lines), "character": 0}}))
            self.ask("textDocument/rename", self.about(name, newName="other", position={
                "line": draw.randrange(len(lines)), "character": draw.randrange(9)}),
                quiet=True)
        print("alive")

    def save(self, name):
        self.send(method="textDocument/didSave", params=self.about(name))

    def close(self, name):
        self.send(method="textDocument/didClose", params=self.about(name))


def show(place):
    start, end = place["start"], place["end"]
    text = f"{start['line'] + 1}:{start['character'] + 1}"
    same = start["line"] == end["line"]
    return text + (f"-{end['character'] + 1}" if same
                   else f"-{end['line'] + 1}:{end['character'] + 1}")


def main():
    arguments = sys.argv[1:]
    server, options = ["graphc-lsp"], {}
    while arguments[0].startswith("--"):
        name, value = arguments.pop(0)[2:].split("=", 1)
        if name == "server":
            server = shlex.split(value)
        else:
            key, value = value.split("=", 1)
            options[key] = int(value) if value.isdigit() else value
    client = Client(server, pathlib.Path(arguments[0]))
    answer = client.ask("initialize", {"processId": None, "rootUri": None,
                                       "capabilities": {},
                                       "initializationOptions": options})
    client.legend = answer["capabilities"]["semanticTokensProvider"]["legend"]
    client.send(method="initialized", params={})
    for line in sys.stdin:
        words = shlex.split(line, comments=True)
        if words:
            print("#", line.strip())
            getattr(client, words[0])(*words[1:])
            sys.stdout.flush()
    client.ask("shutdown", {})
    client.send(method="exit")
    return client.process.wait()


if __name__ == "__main__":
    sys.exit(main())
