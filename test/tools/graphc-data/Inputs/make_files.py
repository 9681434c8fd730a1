#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small files of each format that graphc-data reads into the current folder."""
import json
import os
import struct
import zlib

import numpy as np


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(data):
    size = struct.pack("<Q", len(data))
    return size + masked(size) + data + masked(data)


def field(number, data):
    assert len(data) < 128
    return bytes([number << 3 | 2, len(data)]) + data


def example(**features):
    entries = b""
    for name, feature in features.items():
        entries += field(1, field(1, name.encode()) + field(2, feature))
    return field(1, entries)


def png(pixels, height=None, width=None):
    """A PNG image of u8[height, width, 3]."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data
                + struct.pack(">I", zlib.crc32(kind + data)))
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    size = struct.pack(">II", width or pixels.shape[1], height or pixels.shape[0])
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + b"\x08\2\0\0\0")
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write(path, data):
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


x = np.arange(8, dtype="f4").reshape(4, 2)
n = np.arange(10, 14, dtype="i8")
np.savez("plain.npz", x=x, n=n)
np.savez_compressed("packed.npz", x=x, n=n)
header = json.dumps({"n": {"dtype": "I64", "shape": [4], "data_offsets": [0, 32]},
                     "x": {"dtype": "F32", "shape": [4, 2],
                           "data_offsets": [32, 64]}}).encode()
write("x.safetensors",
      struct.pack("<Q", len(header)) + header + n.tobytes() + x.tobytes())
large = np.lib.format.open_memmap("large.npy", "w+", "f4", (100000, 200))
large[99999] = 7
del large
write("words", b"the\nhello\nworld\n")
write("pairs.tsv", b"english\ttag\nhello world\t\nworld cruel hello\tx\n")
write("lines", b"hello world\nworld\n")
planes = np.repeat(np.arange(3, dtype="u1"), 1024).tobytes()
write("data_batch_1.bin", b"\3" + planes + b"\4" + planes)
write("hundred", b"\5\x2a" + planes)
image = np.zeros((2, 3, 3), "u1")
image[0, :, 0] = 255
image[1, :, 2] = 255
write("folder/cats/1.png", png(image))
write("folder/dogs/2.PNG", png(image))
write("list.csv", b"file,label\nfolder/cats/1.png,7\n")
write("bad/a/x.png", png(image)[:60])
write("bomb/a/x.png", png(image, 60000, 60000))
write("claim/a/x.png", png(image, 8000, 8000))
words = record(example(ids=field(3, field(1, b"\3\4")),
                       word=field(1, field(1, b"hello"))))
write("words.tfrecord", words)
write("words.zlib", zlib.compress(words))
