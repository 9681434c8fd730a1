# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""graphc-run where no server is: it says whom it waits for, and a signal ends
it at once."""
import signal
import subprocess
import sys
import time

MODEL, FOLDER = sys.argv[1:]


def interrupt(number, *flags):
    client = subprocess.Popen(["graphc-run", MODEL, "--graph=train", *flags],
                              stderr=subprocess.PIPE, text=True)
    print(client.stderr.readline().strip())
    begin = time.monotonic()
    client.send_signal(number)
    rest = client.stderr.read().strip()
    code = client.wait(30)
    took = "at once" if time.monotonic() - begin < 0.9 else "late"
    print(f"{signal.Signals(number).name}: {took}, exit code {code}: {rest}")


interrupt(signal.SIGINT, f"--target=unix:{FOLDER}/nobody")
interrupt(signal.SIGTERM, '--cluster={"ps": ["unix:%s/a"], "worker": '
          '["unix:%s/b", "unix:%s/c"]}' % (FOLDER, FOLDER, FOLDER))
