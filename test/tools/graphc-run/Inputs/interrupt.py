# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# interrupt.py COMMAND...: sends SIGINT after the command's first line, passes
# its output on, and succeeds when it exits with 130.
import signal
import subprocess
import sys

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
sys.stdout.write(process.stdout.readline())
process.send_signal(signal.SIGINT)
sys.stdout.write(process.communicate(timeout=60)[0])
if process.returncode != 130:
    sys.exit(f"exit code {process.returncode} instead of 130")
