# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the training steps of other frameworks have in common: the command line,
batches of digits, and the clock.

  NAME_steps.py mlp|lenet5 BATCH STEPS IMAGES,LABELS [cpu]

prints a line of JSON: the median and the least seconds of a step that takes its
batch from the host and brings its loss there, as graphc's does; on a GPU, or on the
CPU with the threads that OMP_NUM_THREADS says. Exit code 77: not here."""
import gzip
import json
import statistics
import struct
import sys
import time

WARM_UP = 20
RATES = {"mlp": 0.5, "lenet5": 0.05}
PENALTIES = {"mlp": 1e-4, "lenet5": 5e-4}
MOMENTUM, EMA_DECAY = 0.9, 0.99


def missing(why):
    print(why, file=sys.stderr)
    sys.exit(77)


def command_line():
    devices = sys.argv[5:]
    if (len(sys.argv) < 5 or sys.argv[1] not in RATES
            or devices not in ([], ["cpu"])):
        sys.exit(__doc__)
    return sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def is_on_cpu():
    return sys.argv[5:] == ["cpu"]


def read_idx(np, file):
    with (gzip.open if file.endswith(".gz") else open)(file) as opened:
        data = opened.read()
    rank = data[3]
    shape = struct.unpack(f">{rank}I", data[4:4 + 4 * rank])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def batches(np, batch):
    """Images and labels of one batch after the other, shuffled, without end."""
    images, labels = (read_idx(np, file) for file in sys.argv[4].split(","))
    order = np.random.default_rng(1)
    while True:
        rows = order.permutation(len(images))
        for first in range(0, len(rows) - batch + 1, batch):
            chosen = rows[first:first + batch]
            yield images[chosen], labels[chosen]


def report(version, step, stream, steps):
    """Times `step`, which gets a batch and returns the loss as a number."""
    seconds = []
    for number in range(WARM_UP + steps):
        begin = time.perf_counter()
        loss = step(*next(stream))
        if number >= WARM_UP:
            seconds.append(time.perf_counter() - begin)
    print(json.dumps({"version": version, "loss": loss,
                      "step": statistics.median(seconds),
                      "least": min(seconds)}))
