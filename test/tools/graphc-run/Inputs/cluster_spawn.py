# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Ends runs with --spawn in all ways and looks for what is left.
#
#   cluster_spawn.py MODEL     a plan for ps:1,worker:2 with graph "train"
import os
import signal
import sys
import tempfile
import time

import cluster_processes as processes

ENDLESS = "--steps=1000000000000"


def servers_of(pid):
    """The graphc-server processes that a process has started."""
    found = []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                stat = file.read()
            with open(f"/proc/{name}/comm") as file:
                command = file.read().strip()
        except OSError:
            continue
        if command == "graphc-server" and int(stat.rsplit(")", 1)[1].split()[1]) == pid:
            found.append(int(name))
    return sorted(found)


def is_there(pid):
    """Whether a process is there, and no zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def begin(model, folder, name, *flags):
    client = processes.Client(folder, name, [
        model, "--spawn=ps:1,worker:2", "--graph=train", "--print-every=50",
        *flags])
    client.wait_for_steps()
    return client, servers_of(client.process.pid)


def end(what, client, servers, seconds=12, is_killed=False):
    code, _ = client.wait(seconds)
    processes.wait_until(lambda: not any(map(is_there, servers)), 5,
                         f"servers end after {what}")
    text = f"{what}: exit code {code}, no process is left"
    left = [name for name in os.listdir(os.environ["TMPDIR"])
            if name != os.path.basename(os.path.dirname(client.out_name))]
    if is_killed:
        assert len(left) == 1, left
        text += ", the next run removes its folder"
    else:
        text += f", {left or 'no folder'} is left"
    print(text, flush=True)


def main():
    model = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="graphc-") as place:
        os.environ["TMPDIR"] = place
        folder = f"{place}/test"
        os.mkdir(folder)
        client, servers = begin(model, folder, "end", "--steps=1000")
        end("end", client, servers)

        client, servers = begin(model, folder, "interrupt", ENDLESS)
        assert len(servers) == 3, servers
        client.process.send_signal(signal.SIGINT)
        end("interrupt", client, servers)

        start = time.monotonic()
        client, servers = begin(model, folder, "deadline", ENDLESS,
                                "--deadline=1")
        # A server that is stopped does not change that.
        os.kill(servers[0], signal.SIGSTOP)
        end("deadline", client, servers)
        assert "DEADLINE_EXCEEDED" in client.errors(), client.errors()
        # Starting, the run, cancelling, and 3 s for the stopped server to end.
        assert time.monotonic() - start < 8, time.monotonic() - start

        client, servers = begin(model, folder, "kill", ENDLESS)
        client.process.kill()
        end("kill", client, servers, is_killed=True)

        client, servers = begin(model, folder, "death", ENDLESS)
        os.kill(servers[1], signal.SIGKILL)
        end("death of a server", client, servers)
        assert "was killed by signal 9" in client.errors(), client.errors()

        client, servers = begin(model, folder, "recovery", "--steps=20000",
                                "--recover=3", f"--checkpoint={folder}/c",
                                "--checkpoint-every=200")
        os.kill(servers[2], signal.SIGKILL)
        end("recovery", client, servers, 40)
        assert "goes on from" in client.errors(), client.errors()

        # A stopped server is killed and replaced: it may never go on.
        client, servers = begin(model, folder, "stop", "--steps=20000",
                                "--recover=3", f"--checkpoint={folder}/s",
                                "--checkpoint-every=200", "--stall=1")
        os.kill(servers[1], signal.SIGSTOP)
        end("stop", client, servers, 40)
        assert "goes on from" in client.errors(), client.errors()


if __name__ == "__main__":
    main()
