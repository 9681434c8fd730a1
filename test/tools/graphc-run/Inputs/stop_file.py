# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# stop_file.py DIR COMMAND... [--then COMMAND...]: when the first command has a
# checkpoint in DIR, runs the second one to its end, then touches DIR/STOP and
# waits.
import os
import subprocess
import sys
import time

directory, command, then = sys.argv[1], sys.argv[2:], []
if "--then" in command:
    at = command.index("--then")
    command, then = command[:at], command[at + 1:]
process = subprocess.Popen(command)
while not any(name.startswith("checkpoint-") and "." not in name
              for name in (os.path.isdir(directory) and os.listdir(directory)
                           or [])):
    if process.poll() is not None:
        sys.exit(f"the command ended with {process.returncode}")
    time.sleep(0.001)
if then:
    subprocess.run(then, check=False)
with open(os.path.join(directory, "STOP"), "w", encoding="utf-8"):
    pass
sys.exit(process.wait(timeout=60))
