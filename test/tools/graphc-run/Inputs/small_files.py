# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# small_files.py BYTES OUTPUT COMMAND...: runs the command where no file may get
# larger than that, with its errors and exit code to OUTPUT.
import resource
import signal
import subprocess
import sys

limit, output, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]


def restrict():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


done = subprocess.run(command, preexec_fn=restrict, capture_output=True,
                      text=True, check=False)
with open(output, "w", encoding="utf-8") as file:
    file.write(done.stderr + f"exit code {done.returncode}\n")
