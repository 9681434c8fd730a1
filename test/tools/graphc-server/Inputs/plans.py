# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# plans.py SCENARIO PLAN OTHER FOLDER: which plans a server takes, of a cluster of
# one ps and one worker. PLAN and OTHER are for it, and differ.
import json
import subprocess
import sys

from servers import FOLDER, LIMIT, Server, run_scenario

PLAN, OTHER = sys.argv[2:4]
WORKER = f"unix:{FOLDER}/w"
CLUSTER = json.dumps({"ps": [f"unix:{FOLDER}/p"], "worker": [WORKER]})


def start(servers, job, *flags):
    servers[job] = Server(job, f"--cluster={CLUSTER}", f"--job={job}",
                          "--task=0", "--threads=1", *flags)


def run(plan):
    """The last line of the run, and what went wrong."""
    result = subprocess.run(["graphc-run", plan, f"--target={WORKER}",
                             "--graph=train", "--steps=10"], timeout=LIMIT,
                            capture_output=True, text=True)
    print(result.stdout, end="")
    print(result.stderr.replace(digest(OTHER), "OTHER-DIGEST"), end="")


def digest(plan):
    return subprocess.run(["graphc-server", f"--digest={plan}"], timeout=LIMIT,
                          capture_output=True, text=True,
                          check=True).stdout.strip()


def preloaded(servers):
    """A plan that lies at the servers runs, whatever clients may bring."""
    for job in ("ps", "worker"):
        start(servers, job, f"--plan={PLAN}", f"--allow={OTHER}")
        servers[job].wait_for("has plan")
        print(job, "has", servers[job].text().count("has plan"), "plan")
    run(PLAN)
    run(OTHER)
    print("worker has", servers["worker"].text().count("has plan"), "plans")


def allowed(servers):
    """By file or by digest; another plan is refused by all at once."""
    start(servers, "ps", f"--allow={PLAN}")
    start(servers, "worker", f"--allow={digest(PLAN)}")
    run(PLAN)
    run(OTHER)


run_scenario(globals())
