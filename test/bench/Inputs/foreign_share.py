# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A benchmark whose server works for it and lives on. The machine's own clock
counts those two only, so that others do not matter here."""
import subprocess
import sys
import time

sys.path.insert(0, sys.argv[1])
import side_by_side

with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as server:
    side_by_side.processor_seconds = (
        lambda: side_by_side.own_seconds([server.pid]))
    for name, living in (("without", []), ("with", [server.pid])):
        share = side_by_side.foreign_share(lambda: time.sleep(0.5), living)[1]
        state = "quiet" if share < 0.01 else "disturbed"
        print(f"{name} the server: {state}")
    server.kill()
