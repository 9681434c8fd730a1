# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kill_writer.py FILE COMMAND...: kills the command when it has replaced FILE a
# few times.
import os
import subprocess
import sys
import time

file, command = sys.argv[1], sys.argv[2:]
process = subprocess.Popen(command)
seen = set()
while len(seen) < 20:
    if process.poll() is not None:
        sys.exit(f"the command ended with {process.returncode}")
    if os.path.exists(file):
        seen.add(os.stat(file).st_mtime_ns)
    time.sleep(0.001)
process.kill()
process.wait()
