# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# exit-code.py CODE COMMAND...: fails unless the command exits with the code.
import subprocess
import sys

expected, command = int(sys.argv[1]), sys.argv[2:]
code = subprocess.run(command, capture_output=True, timeout=30).returncode
if code != expected:
    sys.exit(f"{command[0]} exited {code} instead of {expected}")
