# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Scrapes a server's metrics: the text, wrong requests, slow clients, a taken port.
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../graphc-top/Inputs"))
from three_tasks import SOURCE, ThreeTasks  # noqa: E402

LINE = re.compile(r'^[a-z_]+(\{([a-z_]+="(\\.|[^"\\])*",?)*\})? '
                  r"(-?[\d.e+-]+|[+-]Inf|Nan)$")


def scrape(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        kind = answer.headers["Content-Type"]
        assert kind.startswith("text/plain"), kind
        return answer.read().decode()


def series(text, name):
    return {line.split(" ")[0]: float(line.split(" ")[1])
            for line in text.splitlines() if line.split("{")[0] == name}


with ThreeTasks(flags=["--metrics=localhost:0"]) as cluster:
    cluster.train()
    cluster.await_steps()
    urls = {name: re.search(r"metrics at (http://localhost:\d+/metrics)",
                            cluster.log(name))[1] for name in cluster.servers}
    texts = {name: scrape(url) for name, url in urls.items()}
    for text in texts.values():
        for line in text.splitlines():
            assert line.startswith("# ") or LINE.match(line), line
    first = series(texts["worker0"], "graphc_steps_total")
    label = '{graph="train",task="/job:worker/task:0"}'
    assert first["graphc_steps_total" + label] > 0, first
    again = series(scrape(urls["worker0"]), "graphc_steps_total")
    assert again["graphc_steps_total" + label] >= first["graphc_steps_total" + label]
    # A histogram's buckets are cumulative, and the last is its count.
    buckets = [value for name, value in
               series(texts["worker0"], "graphc_step_seconds_bucket").items()
               if 'graph="train"' in name]
    count = series(texts["worker0"], "graphc_step_seconds_count")
    assert buckets == sorted(buckets)
    assert buckets[-1] == count["graphc_step_seconds_count" + label]
    print("text: ok")

    # Each metric that the dashboard shows is there, but those of clients.
    with open(SOURCE + "/deploy/grafana/graphc.json", encoding="utf-8") as file:
        board = json.load(file)
    shown = set(re.findall(r"\b(?:graphc|process)_[a-z_]+", " ".join(
        target["expr"] for panel in board["panels"]
        for target in panel.get("targets", []))))
    exported = set(re.findall(r"^([a-z_]+)[{ ]", "\n".join(texts.values()), re.M))
    assert len(shown) > 10
    print("not of servers:", *sorted(shown - exported))

    host, port = "localhost", int(urls["ps0"].split(":")[2].split("/")[0])
    for request in (b"\0\xff\r\n\r\n", b"GET /metrics\r\n\r\n", b"GET " + b"a" * 100000,
                    b"GET /../../etc/passwd HTTP/1.0\r\n\r\n",
                    b"POST /metrics HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n"):
        with socket.create_connection((host, port), timeout=30) as client:
            try:
                client.sendall(request)
                client.shutdown(socket.SHUT_WR)
                answer = client.recv(1 << 16)
                assert b"root:" not in answer
            except OSError:
                pass
    slow = [socket.create_connection((host, port)) for _ in range(30)]
    for client in slow[:15]:
        client.sendall(b"GET /metrics HTT")
    assert "graphc_steps_total" in scrape(urls["ps0"])
    print("wrong and slow clients: ok")
    for client in slow:
        client.close()
    assert cluster.views()["/job:ps/task:0"]["state"] == "running"
    taken = subprocess.run(["graphc-server", f"--bind=unix:{cluster.folder}/other",
                            f"--metrics={host}:{port}"], capture_output=True,
                           text=True, timeout=60)
    print(taken.returncode, taken.stderr.replace(str(port), "PORT"))
