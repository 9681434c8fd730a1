# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# in-temp.py SCRIPT ARGUMENT...: runs the script with a new folder with a short
# name as its last argument, and removes the folder.
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory(prefix="graphc-") as folder:
    sys.exit(subprocess.run([sys.executable, *sys.argv[1:], folder]).returncode)
