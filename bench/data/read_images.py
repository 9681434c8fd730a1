#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TFRecord files of JPEG images: parse, decode, resize to 224x224, shuffle, batch by
tf.data and by graphc, turn by turn, each on one thread. Needs tensorflow-cpu in the
Python that runs it, and records-bench and graphc-data (build/bin).

  read_images.py FILE.tfrecord [--rounds=N] [--batch=N] [--shuffle=N] [--resize]
                 [--fast]

Pixels are compared first. tf.data decodes with INTEGER_ACCURATE, the DCT of graphc;
--fast: each side's fastest way, INTEGER_FAST there, and for images that are resized
ratio=2 there and :dct here. Decoded: graphc-data convert once, then graphc reads."""
import argparse
import os
import re
import statistics
import subprocess
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build",
                   "bin")
SPEC = {"image": tf.io.FixedLenFeature([], tf.string),
        "label": tf.io.FixedLenFeature([], tf.int64)}


def decoder(options):
    def decode(record):
        example = tf.io.parse_single_example(record, SPEC)
        image = tf.io.decode_jpeg(
            example["image"], 3, ratio=2 if options.fast and options.resize else 1,
            dct_method="INTEGER_FAST" if options.fast else "INTEGER_ACCURATE")
        if options.resize:
            image = tf.image.resize(image, (224, 224))
            image = tf.cast(tf.floor(image + 0.5), tf.uint8)
        return tf.ensure_shape(image, (224, 224, 3)), example["label"]
    return decode


def pipeline(options, shuffle=True):
    data = tf.data.TFRecordDataset(options.file)
    if shuffle:
        data = data.shuffle(options.shuffle)
    data = data.map(decoder(options)).batch(options.batch, drop_remainder=True)
    how = tf.data.Options()
    how.threading.private_threadpool_size = 1
    how.threading.max_intra_op_parallelism = 1
    how.autotune.enabled = False
    return data.with_options(how)


def theirs(options, seconds):
    count, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        for _ in pipeline(options):
            count += options.batch
            if time.perf_counter() - begin >= seconds:
                break
    return count / (time.perf_counter() - begin)


def files_of(options):
    how = ":resize=bilinear" if options.resize else ""
    how += ":dct" if options.resize and options.fast else ""
    return f"{options.file}?image=image:jpeg{how}"


def ours(options, files):
    text = subprocess.run(
        [os.path.join(BIN, "records-bench"), files, str(options.batch),
         str(options.shuffle), str(options.seconds), "224"],
        check=True, capture_output=True, text=True).stdout
    return float(re.search(r"([\d.]+) examples/s", text)[1])


def convert(options, out):
    subprocess.run([os.path.join(BIN, "graphc-data"), "convert", files_of(options),
                    "--fields=image: u8[224, 224, 3], label: i64", f"--out={out}"],
                   check=True)


def compare(options, decoded):
    """The largest difference of a pixel."""
    worst, equal = 0, True
    for (image, _), record in zip(pipeline(options, False).unbatch(),
                                  tf.data.TFRecordDataset(decoded)):
        raw = tf.io.parse_single_example(record, SPEC)["image"].numpy()
        mine = np.frombuffer(raw, "u1").reshape(224, 224, 3)
        far = np.abs(mine.astype(int) - image.numpy().astype(int)).max()
        worst, equal = max(worst, far), equal and far == 0
    return "equal" if equal else f"at most {worst} apart"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--shuffle", type=int, default=256)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--resize", action="store_true")
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        decoded = os.path.join(folder, "decoded.tfrecord")
        convert(options, decoded)
        print("pixels are", compare(options, decoded))
        rows = []
        for _ in range(options.rounds):
            a = theirs(options, options.seconds)
            rows.append((a, ours(options, files_of(options)),
                         ours(options, decoded)))
    tf_rate, rate, plain, ratio, far = (
        statistics.median(column)
        for column in zip(*((a, b, c, b / a, c / a) for a, b, c in rows)))
    print(f"tf.data {tf_rate:.0f} images/s, graphc {rate:.0f} images/s, ratio "
          f"{ratio:.2f}; decoded once {plain:.0f} images/s, ratio {far:.2f} (median of "
          f"{options.rounds} rounds, one thread)")


main()
