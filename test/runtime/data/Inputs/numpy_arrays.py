# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes arrays with NumPy, or checks files that should hold the same.

  numpy_arrays.py write OUTDIR
  numpy_arrays.py check FILE...
"""
import json
import struct
import sys

import numpy as np


def arrays():
    grid = np.arange(24).reshape(2, 3, 4)
    yield "bool", grid % 3 == 0
    yield "uint8", grid.astype(np.uint8)
    yield "int32", (grid - 12).astype(np.int32)
    yield "int64", (grid - 12).astype(np.int64) << 40
    yield "float32", np.sqrt(grid).astype(np.float32)
    yield "float64", np.exp(grid.astype(np.float64))
    yield "fortran", np.asfortranarray(grid.astype(np.float32))
    yield "scalar", np.float64(1.5)
    yield "empty", np.zeros((3, 0), np.int32)
    yield "layers/dense/w", np.full((1,), -7, np.int64)


def write(directory):
    np.savez(directory + "/stored.npz", **dict(arrays()))
    np.savez_compressed(directory + "/deflated.npz", **dict(arrays()))
    np.save(directory + "/fortran.npy", dict(arrays())["fortran"])


def read_safetensors(path):
    """Reads the format by its public description, independently of ours."""
    types = {"BOOL": "?", "U8": "u1", "I32": "<i4", "I64": "<i8",
             "F32": "<f4", "F64": "<f8"}
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack("<Q", data[:8])
    assert size % 8 == 0
    header = json.loads(data[8:8 + size])
    assert isinstance(header.pop("__metadata__")["from"], str)
    found = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        dtype = np.dtype(types[entry["dtype"]])
        assert (8 + size + begin) % dtype.itemsize == 0, name
        found[name] = np.frombuffer(data[8 + size + begin:8 + size + end],
                                    dtype).reshape(entry["shape"])
    return found


def read(path):
    if path.endswith(".safetensors"):
        return read_safetensors(path)
    if path.endswith(".npy"):
        return {"fortran": np.load(path, allow_pickle=False)}
    return dict(np.load(path, allow_pickle=False))


def check(path):
    expected = dict(arrays())
    found = read(path)
    if path.endswith(".npy"):
        expected = {"fortran": expected["fortran"]}
    assert sorted(found) == sorted(expected), sorted(found)
    for name, array in expected.items():
        array = np.asarray(array)
        assert found[name].dtype == array.dtype, name
        assert found[name].shape == array.shape, name
        assert (found[name] == array).all(), name


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    for argument in sys.argv[2:]:
        check(argument)
