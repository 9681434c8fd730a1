# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cluster_tls.py FOLDER: clients with several certificates ask servers that have
# one of FOLDER/c; prints what each is told.
import subprocess
import sys

LIMIT = 30  # seconds that anything may take
FOLDER = sys.argv[1]


def ask(address, name, *flags):
    result = subprocess.run(
        ["graphc-run", f"--why-stuck={address}", "--deadline=3", *flags],
        timeout=LIMIT, capture_output=True, text=True)
    # Before the error it may say that it waits.
    lines = [line for line in (result.stdout + result.stderr).splitlines()
             if "waits for a task at" not in line]
    print(f"{name}: {lines[0]}")


def serve(host, questions):
    """Starts a server on any port of the host, and asks it by `questions`."""
    server = subprocess.Popen(["graphc-server", f"--bind={host}:0",
                               f"--tls-dir={FOLDER}/c/task"],
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    try:
        address = server.stdout.readline().split()[-1]
        for name, *flags in questions:
            ask(address, name, *flags)
    finally:
        server.terminate()
        server.wait(LIMIT)


serve("localhost", [("none",),
                    ("other", f"--tls-dir={FOLDER}/other/client"),
                    ("client", f"--tls-dir={FOLDER}/c/client")])
# The certificate is for localhost and 127.0.0.1.
serve("127.0.0.2", [("name", f"--tls-dir={FOLDER}/c/client")])
