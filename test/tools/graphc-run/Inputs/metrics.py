# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Scrapes a training while it goes: steps, the loss, checkpoints.
import re
import subprocess
import sys
import time
import urllib.request

model, points, folder = sys.argv[1:]
command = ["graphc-run", "train", model, "--graph=greedy", "--data=points=" + points,
           "--train-dir=" + folder, "--save-steps=200000", "--metrics=localhost:0",
           "--steps=100000000000"]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                      text=True) as run:
    url = re.fullmatch(r"metrics at (http://localhost:\d+/metrics)\n",
                       run.stdout.readline())[1]

    def value(name):
        text = urllib.request.urlopen(url, timeout=60).read().decode()
        found = re.search(rf"^{name} (\S+)$", text, re.M)
        return float(found[1]) if found else 0

    until = time.monotonic() + 60
    saved = r'graphc_checkpoints_total\{task="client"\}'
    while value(saved) < 2 and time.monotonic() < until:
        time.sleep(0.1)
    assert value(saved) >= 2
    assert value(r'graphc_checkpoint_seconds_count\{task="client"\}') >= 2
    assert value(r'graphc_steps_total\{graph="greedy",task="client"\}') >= 200000
    steps = value(r'graphc_steps_total\{graph="greedy",task="client"\}')
    examples = value(r'graphc_examples_total\{graph="greedy",task="client"\}')
    assert examples >= 4 * steps, (examples, steps)
    assert value(r'graphc_fetch\{fetch="loss",graph="greedy",task="client"\}') > 0
    assert value(r'process_resident_memory_bytes\{task="client"\}') > 1e6
    run.terminate()
print("steps, loss, checkpoints: ok")
