# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# addresses.py SCENARIO FOLDER: where servers listen, and where they say so.
import json
import subprocess

from servers import FOLDER, LIMIT, Server, run_scenario


def listen(servers, *flags):
    """Starts a server; the port that it got."""
    servers[0] = Server("server", f"--port-file={FOLDER}/port", *flags)
    print(servers[0].listening().rsplit(":", 1)[0])
    with open(f"{FOLDER}/port", encoding="utf-8") as file:
        return file.read().strip()


def why_stuck(address, port):
    """What a client is told, which learns the cluster from the server."""
    result = subprocess.run(["graphc-run", f"--why-stuck={address}",
                             "--deadline=5"], timeout=LIMIT,
                            capture_output=True, text=True)
    text = result.stdout + result.stderr
    print(text.replace(port, "PORT").splitlines()[0])


def ipv6(servers):
    port = listen(servers, "--bind=[::1]:0")
    why_stuck(f"grpc://[::1]:{port}", port)


def ipv6_cluster(servers):
    """Two tasks find each other at addresses of IPv6."""
    first = listen(servers, "--bind=[::1]:0")
    servers[0].end()
    # The port was free a moment ago, and servers of one host take it at once.
    cluster = json.dumps({"worker": [f"[::1]:{first}", f"unix:{FOLDER}/w"]})
    for index in (1, 0):
        servers[index] = Server(f"worker{index}", f"--cluster={cluster}",
                                "--job=worker", f"--task={index}",
                                "--route=grpc")
    servers[0].wait_for("ready: all 2 tasks are connected")
    why_stuck(f"unix:{FOLDER}/w", first)


def advertise(servers):
    """Clients call the address that is advertised, not the one they called."""
    port = listen(servers, "--bind=127.0.0.1:0",
                  f"--advertise=unix:{FOLDER}/other")
    why_stuck(f"127.0.0.1:{port}", port)


def of_cluster(servers):
    """Without --advertise it is the address of the cluster."""
    port = listen(servers, '--cluster={"worker": ["localhost:0"]}',
                  "--bind=127.0.0.1:0")
    why_stuck(f"127.0.0.1:{port}", port)
    print(servers[0].text(), end="")


def wildcard(servers):
    port = listen(servers, "--bind=0.0.0.0:0", "--insecure")
    servers[0].wait_for("\n")
    print(servers[0].text().replace(port, "PORT"), end="")


run_scenario(globals())
