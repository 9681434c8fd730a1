# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# stop_training.py term|file DIR COMMAND...: lets a training of many steps begin,
# stops it by SIGTERM or by DIR/STOP, and prints its exit code; then the step of
# the latest checkpoint must be the last one that it printed.
import os
import re
import signal
import subprocess
import sys
import time

how, directory, command = sys.argv[1], sys.argv[2], sys.argv[3:]
process = subprocess.Popen(command, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
events = f"{directory}/log.csv"
while not (os.path.exists(events) and os.path.getsize(events) > 100):
    if process.poll() is not None:
        sys.exit(f"the command ended: {process.communicate()}")
    time.sleep(0.01)
if how == "term":
    process.send_signal(signal.SIGTERM)
else:
    with open(f"{directory}/STOP", "w", encoding="utf-8"):
        pass
output, errors = process.communicate(timeout=60)
steps = [int(name.split("-")[1]) for name in os.listdir(directory)
         if re.fullmatch(r"checkpoint-\d+", name)]
printed = re.findall(r"^step (\d+):", output, re.M)
print(f"{how}: exit code {process.returncode}, {len(printed)} line")
assert len(printed) == 1 and max(steps) >= int(printed[0]) > 0, (output, steps)
print(errors)
