# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Two workers with a client each, the second of which begins first.
#
#   cluster_workers.py MODEL     an asynchronous plan for ps:1,worker:2
import json
import os
import sys
import tempfile

import cluster_processes as processes


def begin(model, cluster, folder, name, *flags):
    return processes.Client(folder, name, [
        model, f"--target={cluster.target(('ps', 0))}", "--graph=train",
        "--steps=500", "--feed=x=1,2,3,4", "--feed=y=2.2,4.2,6.2,8.2", *flags])


def main():
    model = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="graphc-") as folder, \
            processes.Cluster(folder, {"ps": 1, "worker": 2}) as cluster:
        nobody = begin(model, cluster, folder, "nobody")
        code, _ = nobody.wait(20)
        assert code == 1, nobody.errors()
        print("without a worker:", nobody.errors().split("error: ")[1], end="")

        os.environ["TF_CONFIG"] = json.dumps(
            {"cluster": cluster.addresses,
             "task": {"type": "worker", "index": 1}})
        second = begin(model, cluster, folder, "second")
        del os.environ["TF_CONFIG"]
        processes.wait_until(lambda: "chief" in second.errors(), 20,
                             "worker 1 waits for the chief")
        print("worker 1 waits:", second.errors().splitlines()[-1])
        first = begin(model, cluster, folder, "first", "--worker=0")
        for number, client in enumerate((first, second)):
            code, _ = client.wait(30)
            assert code == 0, client.errors()
            print(f"worker {number}: {client.output()}", end="")


main()
