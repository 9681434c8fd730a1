# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_mean.py A B MEAN: w of MEAN is the mean of w of A and B, read from the
# public format without the project's code.
import json
import os
import struct
import sys


def read_w(path):
    if os.path.isdir(path):
        with open(f"{path}/model.safetensors.index.json",
                  encoding="utf-8") as file:
            path = f"{path}/{json.load(file)['weight_map']['w']}"
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack_from("<Q", data)
    begin, _ = json.loads(data[8:8 + size])["w"]["data_offsets"]
    return struct.unpack_from("<f", data, 8 + size + begin)[0]


a, b, mean = (read_w(path) for path in sys.argv[1:])
assert a != b and abs((a + b) / 2 - mean) < 1e-7, (a, b, mean)
