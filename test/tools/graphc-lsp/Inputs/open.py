# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the messages of an editor that opens a text: KIND N, as nested.py of
graphc's tests takes them, or `zero` for one with a byte 0."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
NESTED = os.path.join(HERE, "../../graphc/Inputs/nested.py")

if sys.argv[1] == "zero":
    text = "module {\0}"
else:
    text = subprocess.run([sys.executable, NESTED, *sys.argv[1:]], text=True,
                          check=True, capture_output=True).stdout
document = {"uri": "test:///a.tfir", "languageId": "tfir", "version": 1,
            "text": text}
for message in (
        {"id": 0, "method": "initialize",
         "params": {"processId": 1, "rootPath": "lsp", "capabilities": {}}},
        {"method": "textDocument/didOpen", "params": {"textDocument": document}},
        {"id": 1, "method": "shutdown"}, {"method": "exit"}):
    print(json.dumps({"jsonrpc": "2.0", **message}))
    print("// -----")
