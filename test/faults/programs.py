# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Programs whose state counts its own updates: an update adds exactly 1 to
# global_step, w and u, wherever these lie, and changes m by random numbers or data.
import json
import os
import random
import struct
import subprocess

ROWS = 96
WORKERS = {"towers": 2, "ring": 3, "async": 2, "stale": 2, "quorum": 3}
FLAGS = {
    "towers": ["--placement=ps-round-robin"],
    "ring": ["--reduce=ring"],
    "async": ["--async"],
    "stale": ["--async", "--staleness=2"],
    "quorum": ["--sync=2"],
}
COUNTERS = ("gstep", "w", "u")  # fetched by both graphs

DATASET = """  tfir.dataset @points (x: tensor<8xf32>) {shuffle = 16, seed = 1, repeat = 0}
"""
DRAW = """    %drawn = tfir.random_uniform {minval = -1.0 : f64, seed = 1 : i64} : tensor<6x8xf32>
"""
NEXT = """    %drawn = tfir.next @points : tensor<6x8xf32>
"""
PROGRAM = """module @counted {
DATASET  tfir.variable @w : tensor<f32> = #tfir.fill<0.0>
  tfir.variable @u : tensor<f32> = #tfir.fill<0.0>
  tfir.variable @m : tensor<8x4xf32> = #tfir.truncated_normal<stddev = 0.1>
  tfir.variable @global_step : tensor<i64> = #tfir.fill<0> {trainable = false}

  tfir.graph @train() -> (gstep: tensor<i64>, w: tensor<f32>, u: tensor<f32>) {
DRAW    %x = tfir.debug_sleep %drawn {milliseconds = 4 : i64} : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %step = tfir.read @global_step : tensor<i64>
    %w = tfir.read @w : tensor<f32>
    %u = tfir.read @u : tensor<f32>
    %m = tfir.read @m : tensor<8x4xf32>
    %p = tfir.matmul %x, %m : (tensor<6x8xf32>, tensor<8x4xf32>) -> tensor<6x4xf32>
    %q = tfir.square %p : (tensor<6x4xf32>) -> tensor<6x4xf32>
    %e = tfir.mean %q : (tensor<6x4xf32>) -> tensor<f32>
    %both = tfir.add %w, %u : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %loss = tfir.sub %e, %both : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tfir.minimize %loss using #tfir.sgd<learning_rate = 1.0>
    tfir.return %step, %w, %u : tensor<i64>, tensor<f32>, tensor<f32>
  }

  tfir.graph @look() -> (gstep: tensor<i64>, w: tensor<f32>, u: tensor<f32>) {
    %step = tfir.read @global_step : tensor<i64>
    %w = tfir.read @w : tensor<f32>
    %u = tfir.read @u : tensor<f32>
    tfir.return %step, %w, %u : tensor<i64>, tensor<f32>, tensor<f32>
  }
}
"""


def tasks_of(plan):
    """The jobs of a plan's cluster with their numbers of tasks."""
    jobs = {"worker": WORKERS[plan]}
    if plan != "ring":
        jobs["ps"] = 2
    return jobs


def write_points(path):
    """The dataset's file: random rows of 8, always the same."""
    chance = random.Random(1)
    values = [chance.uniform(-1, 1) for _ in range(ROWS * 8)]
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({ROWS}, 8), }}"
    head = head.ljust(117) + "\n"  # 128 bytes with what is in front of it
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head))
                   + head.encode() + struct.pack(f"<{len(values)}f", *values))


class Programs:
    """Models in a folder, each compiled when it is first asked for."""

    def __init__(self, folder):
        self.folder = folder

    def model(self, plan, has_data):
        """The plan's model.bin."""
        path = f"{self.folder}/{plan}{'-data' if has_data else ''}.bin"
        if not os.path.exists(path):
            self._compile(plan, has_data, path)
        return path

    def _compile(self, plan, has_data, path):
        source = f"{path}.tfir"
        text = PROGRAM.replace("DATASET", DATASET if has_data else "")
        text = text.replace("DRAW", NEXT if has_data else DRAW)
        if has_data:  # '?': examples that towers can share
            text = text.replace("<6x", "<?x")
        with open(source, "w") as file:
            file.write(text)
        cluster = f"{path}.json"
        with open(cluster, "w") as file:
            json.dump({job: [f"{job}{i}:1" for i in range(count)]
                       for job, count in tasks_of(plan).items()}, file)
        batch = ["--batch=6"] if has_data else []
        subprocess.run(["graphc", source, f"--cluster={cluster}",
                        *FLAGS[plan], *batch, "-o", path],
                       check=True, timeout=120)

    def data_flags(self, has_data):
        if not has_data:
            return []
        path = f"{self.folder}/points.npy"
        if not os.path.exists(path):
            write_points(path)
        return [f"--data=points={path}"]

    def weights(self, plan, has_data, steps):
        """The bytes that an undisturbed training of so many steps saves."""
        path = f"{self.folder}/{plan}-{has_data}-{steps}.safetensors"
        if not os.path.exists(path):
            subprocess.run(
                ["graphc-run", self.model(plan, has_data), "--virtual-gpus",
                 "--graph=train", f"--steps={steps}", "--quiet",
                 f"--save={path}", *self.data_flags(has_data)],
                check=True, timeout=120)
        with open(path, "rb") as file:
            return file.read()
