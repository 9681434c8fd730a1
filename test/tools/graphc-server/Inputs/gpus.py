# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# gpus.py SCENARIO PLAN FOLDER: a server says which GPUs the devices of a plan are.
import sys

from servers import FOLDER, Server, run_scenario


def shared(servers):
    cluster = f'{{"worker": ["unix:{FOLDER}/w"]}}'
    servers[0] = Server("worker", f"--cluster={cluster}", "--threads=1",
                        "--gpus-share", f"--plan={sys.argv[2]}")
    servers[0].listening()
    print(servers[0].text(), end="")


run_scenario(globals())
