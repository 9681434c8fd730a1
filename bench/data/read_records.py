#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TFRecord files of 28x28 images: parse, shuffle, batch by tf.data and by graphc,
turn by turn, each on one thread. Needs tensorflow-cpu in the Python that runs it,
and records-bench (build/bin).

  read_records.py FILE.tfrecord [--rounds=N] [--batch=N] [--shuffle=N]

tf.data runs with the faster of two ways: parse_single_example before the batch, or
parse_example of a whole batch; private_threadpool_size=1, no parallel calls."""
import argparse
import os
import re
import statistics
import subprocess
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SPEC = {"image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64)}


def decode(record):
    image = tf.io.decode_raw(record["image"], tf.uint8)
    return tf.reshape(image, [-1, 28, 28, 1]), record["label"]


def single(record):
    return tf.io.parse_single_example(record, SPEC)


def pipeline(options, is_batched):
    data = tf.data.TFRecordDataset(options.file).shuffle(options.shuffle)
    if is_batched:
        data = data.batch(options.batch, drop_remainder=True)
        data = data.map(lambda records: decode(
            tf.io.parse_example(records, SPEC)))
    else:
        data = data.map(single).batch(options.batch, drop_remainder=True)
        data = data.map(decode)
    how = tf.data.Options()
    how.threading.private_threadpool_size = 1
    how.threading.max_intra_op_parallelism = 1
    how.autotune.enabled = False
    return data.with_options(how)


def examples_per_second(options, is_batched, seconds=1.0):
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for _ in pipeline(options, is_batched):
            count += options.batch
    return count / (time.perf_counter() - begin)


def graphc_rate(options):
    text = subprocess.run(
        [os.path.join(HERE, "..", "..", "build", "bin", "records-bench"),
         options.file, str(options.batch), str(options.shuffle), "1"],
        check=True, capture_output=True, text=True).stdout
    return float(re.search(r"([\d.]+) examples/s", text)[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--shuffle", type=int, default=5000)
    options = parser.parse_args()
    rows = []
    for _ in range(options.rounds):
        theirs = max(examples_per_second(options, True),
                     examples_per_second(options, False))
        rows.append((theirs, graphc_rate(options)))
    theirs, ours, ratio = (statistics.median(column) for column in
                           zip(*((a, b, b / a) for a, b in rows)))
    print(f"tf.data {theirs:.0f} examples/s, graphc {ours:.0f} examples/s, "
          f"ratio {ratio:.2f} (median of {options.rounds} rounds, one thread)")


main()
