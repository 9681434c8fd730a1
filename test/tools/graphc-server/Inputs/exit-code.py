# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# exit-code.py CODE COMMAND...: succeeds when the command exits with CODE.
import subprocess
import sys

code = subprocess.run(sys.argv[2:], timeout=30).returncode
if code != int(sys.argv[1]):
    sys.exit(f"exit code {code} instead of {sys.argv[1]}")
