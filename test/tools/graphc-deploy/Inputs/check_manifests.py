# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what graphc-deploy writes: Kubernetes documents against the models
of its own client library, the others with the programs that read them.
  check_manifests.py KIND FILE..."""
import json
import re
import shutil
import subprocess
import sys

import yaml

KINDS = {"ConfigMap": "V1ConfigMap", "Service": "V1Service",
         "NetworkPolicy": "V1NetworkPolicy", "StatefulSet": "V1StatefulSet",
         "Job": "V1Job"}


class Response:
    """What the client library takes for an answer of a server."""

    def __init__(self, value):
        self.data = json.dumps(value)


def check_probe(probe):
    """Newer than Debian's models: a probe by gRPC."""
    grpc = probe.pop("grpc", None)
    assert (grpc is None) == ("tcpSocket" in probe), probe
    if grpc is not None:
        assert set(grpc) <= {"port", "service"}, grpc
        assert isinstance(grpc["port"], int), grpc
        probe["exec"] = {"command": ["grpc"]}


def check_model(document):
    """Each field is one that its model has: nothing is lost on the way."""
    from kubernetes import client
    api = client.ApiClient()
    pods = document.get("spec", {}).get("template", {}).get("spec", {})
    for container in pods.get("containers", []):
        for name in ("readinessProbe", "livenessProbe"):
            if name in container:
                check_probe(container[name])
    model = KINDS[document["kind"]]
    made = api.deserialize(Response(document), model)
    back = api.sanitize_for_serialization(made)
    assert back == document, f"{document['kind']}: {back} is not {document}"


def check_kubernetes(path):
    with open(path, encoding="utf-8") as file:
        documents = list(yaml.safe_load_all(file))
    by_kind = {}
    for document in documents:
        by_kind.setdefault(document["kind"], []).append(document)
    service, = by_kind["Service"]
    policy, = by_kind["NetworkPolicy"]
    config, = by_kind["ConfigMap"]
    cluster = json.loads(config["data"]["cluster.json"])
    assert service["spec"]["clusterIP"] == "None"
    name = service["metadata"]["name"]
    space = service["metadata"]["namespace"]
    addresses = []
    for one in by_kind["StatefulSet"]:
        spec = one["spec"]
        labels = spec["template"]["metadata"]["labels"]
        assert spec["serviceName"] == name
        assert spec["selector"]["matchLabels"].items() <= labels.items()
        for selector in (service["spec"]["selector"],
                         policy["spec"]["podSelector"]["matchLabels"]):
            assert selector.items() <= labels.items()
        addresses += [f"{one['metadata']['name']}-{i}.{name}.{space}.svc:2222"
                      for i in range(spec["replicas"])]
        check_pod(spec["template"]["spec"])
        print(one["metadata"]["name"], spec["replicas"],
              json.dumps(spec["template"]["spec"]["containers"][0]
                         ["resources"], sort_keys=True))
    assert sorted(sum(cluster.values(), [])) == sorted(addresses), cluster
    job, = by_kind["Job"]
    pod = job["spec"]["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    check_pod(pod)
    print("client:", " ".join(pod["containers"][0]["command"]))
    for document in documents:
        check_model(document)
    print("documents:", " ".join(d["kind"] for d in documents))


def check_pod(pod):
    volumes = {volume["name"] for volume in pod["volumes"]}
    container, = pod["containers"]
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == volumes, (mounts, volumes)
    command = container["command"]
    if command[0] == "/bin/sh":
        subprocess.run(["sh", "-n", "-c", command[2]], check=True)
        print("server:", command[2])


def check_compose(path):
    with open(path, encoding="utf-8") as file:
        document = yaml.safe_load(file)
    services = document["services"]
    client = services.pop("client")
    assert set(client["depends_on"]) == set(services)
    texts = {}
    for name, service in services.items():
        flags = dict(argument.split("=", 1)
                     for argument in service["command"] if "=" in argument)
        cluster = json.loads(flags["--cluster"])
        texts[json.dumps(cluster)] = None
        host, port = cluster[flags["--job"]][int(flags["--task"])].split(":")
        assert (host, port) == (name, "2222"), name
        assert service["healthcheck"]["test"][0] == "CMD"
        print(name, service["mem_reservation"],
              "gpu" if "deploy" in service else "")
    assert len(texts) == 1
    print("client:", " ".join(client["command"]))


def check_systemd(paths):
    units = [path for path in paths if path.endswith(".service")]
    cluster, = [path for path in paths if path.endswith("cluster.json")]
    with open(cluster, encoding="utf-8") as file:
        print(json.dumps(json.load(file)))
    if not shutil.which("systemd-analyze"):
        print("no systemd-analyze")
        return
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units],
                          capture_output=True, text=True, check=False)
    # The programs need not be installed to check the units, and there is no
    # user of that name, nor a manager to ask.
    known = re.compile(r"is not executable|Failed to (create|connect|open)|"
                       r"Cannot find cgroup|Unit .* not found|^\s*$")
    rest = [line for line in done.stderr.splitlines()
            if "graphc-" in line and not known.search(line)]
    assert not rest, rest
    print("units:", len(units))


def check_slurm(path):
    subprocess.run(["bash", "-n", path], check=True)
    # What a job's shell makes of it, with programs that print their arguments.
    stub = ("scontrol() { printf 'n%s\\n' 0 1 2; }; "
            "srun() { SLURM_PROCID=2 SLURMD_NODENAME=n2 \"${@:3}\"; }; "
            "graphc-server() { echo \"server: $*\"; }; "
            "graphc-run() { wait \"$servers\"; echo \"client: $*\"; }; "
            "export -f graphc-server; "
            "SLURM_JOB_NODELIST=n SLURM_JOB_ID=20042; ")
    with open(path, encoding="utf-8") as file:
        # A function cannot be exec'ed.
        text = file.read().replace("exec graphc-server", "graphc-server")
    done = subprocess.run(["bash", "-c", stub + text], check=True,
                          capture_output=True, text=True, timeout=20,
                          env={"PATH": "/usr/bin:/bin", "GRAPHC_TLS": "/tls"})
    lines = done.stdout.splitlines()
    assert lines[0].startswith("server: "), lines
    json.loads(re.search(r"--cluster=(\{.*?\}\})", lines[0]).group(1))
    print("\n".join(lines))


def main():
    kind, paths = sys.argv[1], sys.argv[2:]
    if kind == "kubernetes":
        check_kubernetes(paths[0])
    elif kind == "compose":
        check_compose(paths[0])
    elif kind == "systemd":
        check_systemd(paths)
    else:
        check_slurm(paths[0])


if __name__ == "__main__":
    main()
