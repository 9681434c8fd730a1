# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables: program order is the meaning, and state outlives steps and runs."""
import os
import sys

import numpy as np

import harness
from harness import Fetch, Model, require

TEXT = """
module @state {
  tfir.dataset @points(x: tensor<2xf32>, n: tensor<i32>) {batch = 3 : i64}
  tfir.variable @v : tensor<f32> = #tfir.fill<1>
  tfir.variable @w : tensor<3xf32> = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  tfir.variable @n : tensor<i64> = #tfir.fill<5> {trainable = false}
  tfir.variable @big : tensor<20011xf32> = #tfir.fill<2>
  tfir.variable @bytes : tensor<4xui8> = #tfir.fill<250> {trainable = false}
  tfir.variable @d : tensor<2xf64> = #tfir.fill<0.1>
  tfir.graph @order(%x: tensor<f32>) -> (a: tensor<f32>, b: tensor<f32>, c: tensor<f32>, d: tensor<f32>) {
    %a = tfir.read @v : tensor<f32>
    tfir.assign @v, %x : tensor<f32>
    %b = tfir.read @v : tensor<f32>
    tfir.assign_add @v, %x : tensor<f32>
    %c = tfir.read @v : tensor<f32>
    %s = tfir.mul %a, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
    tfir.assign_sub @v, %s : tensor<f32>
    %d = tfir.read @v : tensor<f32>
    tfir.return %a, %b, %c, %d : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  tfir.graph @swap() -> (v: tensor<3xf32>, n: tensor<i64>) {
    %w = tfir.read @w : tensor<3xf32>
    %v = tfir.read @v : tensor<f32>
    %p = tfir.mul %w, %v : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %s = tfir.sum %w : (tensor<3xf32>) -> tensor<f32>
    tfir.assign @w, %p : tensor<3xf32>
    tfir.assign @v, %s : tensor<f32>
    %one = tfir.const dense<1> : tensor<i64>
    tfir.assign_add @n, %one : tensor<i64>
    %n = tfir.read @n : tensor<i64>
    tfir.return %w, %n : tensor<3xf32>, tensor<i64>
  }
  tfir.graph @late() -> (old: tensor<20011xf32>, new: tensor<20011xf32>, sum: tensor<f32>) {
    %old = tfir.read @big : tensor<20011xf32>
    %new = tfir.mul %old, %old : (tensor<20011xf32>, tensor<20011xf32>) -> tensor<20011xf32>
    tfir.assign @big, %new : tensor<20011xf32>
    %both = tfir.add %old, %new : (tensor<20011xf32>, tensor<20011xf32>) -> tensor<20011xf32>
    %sum = tfir.sum %both : (tensor<20011xf32>) -> tensor<f32>
    tfir.return %old, %new, %sum : tensor<20011xf32>, tensor<20011xf32>, tensor<f32>
  }
  tfir.graph @types() -> (b: tensor<4xui8>, d: tensor<2xf64>) {
    %b = tfir.read @bytes : tensor<4xui8>
    tfir.assign_add @bytes, %b : tensor<4xui8>
    %d = tfir.read @d : tensor<2xf64>
    tfir.assign_sub @d, %d : tensor<2xf64>
    %e = tfir.read @bytes : tensor<4xui8>
    tfir.return %e, %d : tensor<4xui8>, tensor<2xf64>
  }
  tfir.variable @i8 : tensor<5xi8> = #tfir.fill<-100> {trainable = false}
  tfir.variable @i16 : tensor<5xi16> = #tfir.fill<-30000> {trainable = false}
  tfir.variable @u16 : tensor<6xui16> = #tfir.fill<65535> {trainable = false}
  tfir.variable @u32 : tensor<3xui32> = #tfir.fill<4000000000> {trainable = false}
  tfir.variable @u64 : tensor<3xui64> = dense<[1, 9223372036854775808, 18446744073709551615]> : tensor<3xui64> {trainable = false}
  tfir.graph @integers() -> (a: tensor<5xi8>, b: tensor<5xi16>, c: tensor<6xui16>, d: tensor<3xui32>, e: tensor<3xui64>) {
    %a = tfir.read @i8 : tensor<5xi8>
    tfir.assign_add @i8, %a : tensor<5xi8>
    %b = tfir.read @i16 : tensor<5xi16>
    tfir.assign_add @i16, %b : tensor<5xi16>
    %c = tfir.read @u16 : tensor<6xui16>
    tfir.assign_sub @u16, %c : tensor<6xui16>
    %d = tfir.read @u32 : tensor<3xui32>
    tfir.assign_add @u32, %d : tensor<3xui32>
    %e = tfir.read @u64 : tensor<3xui64>
    tfir.assign_add @u64, %e : tensor<3xui64>
    tfir.return %a, %b, %c, %d, %e : tensor<5xi8>, tensor<5xi16>, tensor<6xui16>, tensor<3xui32>, tensor<3xui64>
  }
  tfir.graph @unread(%x: tensor<f32>) -> (x: tensor<f32>) {
    tfir.assign @v, %x : tensor<f32>
    tfir.return %x : tensor<f32>
  }
  tfir.graph @batches() -> (x: tensor<?x2xf32>, y: tensor<?x2xf32>, n: tensor<?xi32>, m: tensor<?xi32>) {
    %x, %n = tfir.next @points : tensor<?x2xf32>, tensor<?xi32>
    %y, %m = tfir.next @points : tensor<?x2xf32>, tensor<?xi32>
    tfir.return %x, %y, %n, %m : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?xi32>, tensor<?xi32>
  }
}
"""


def same(got, **wants):
    for name, want in wants.items():
        try:
            Fetch(np.asarray(want, got[name].dtype), rel=1e-6).compare(got[name])
        except harness.Failure as failure:
            raise harness.Failure(f"'{name}' {failure}") from failure


def reads_see_the_assignments_above():
    x = np.float32(3).reshape(())
    for options in harness.RUNS:
        got = MODEL.run("order", {"x": x}, options)
        same(got, a=1, b=3, c=6, d=0)
        got = MODEL.run("order", {"x": x}, ["--steps=2", *options])
        same(got, a=0, b=3, c=6, d=6)
        got = MODEL.run("order", {"x": x}, ["--steps=3", *options])
        same(got, a=6, b=3, c=6, d=-30)


def variables_may_be_exchanged():
    w, v, n = np.float32([1, 2, 3]), np.float32(1), 5
    for steps in range(1, 5):
        n += 1
        got = MODEL.run("swap", {}, [f"--steps={steps}"])
        same(got, v=w, n=n)
        w, v = w * v, w.sum()
        saved = MODEL.variables("swap", {}, [f"--steps={steps}"])
        same(saved, w=w, v=v, n=n)


def a_fetch_keeps_the_value_of_its_place():
    for options in harness.RUNS:
        got = MODEL.run("late", {}, options)
        same(got, old=np.full(20011, 2), new=np.full(20011, 4), sum=6 * 20011)
        got = MODEL.run("late", {}, ["--steps=3", *options])
        same(got, old=np.full(20011, 16), new=np.full(20011, 256),
             sum=272 * 20011)


def all_types_are_kept():
    same(MODEL.run("types"), b=np.full(4, 244), d=[0.1, 0.1])
    same(MODEL.run("types", {}, ["--steps=2"]), b=np.full(4, 232), d=[0, 0])
    saved = MODEL.variables("types")
    require(saved["bytes"].dtype == np.uint8 and saved["d"].dtype == float,
            "the types are not kept")
    same(saved, bytes=np.full(4, 244), d=[0, 0])


def integers_of_all_sizes():
    """Their first values fill memory whose size need not be whole words."""
    start = {"a": np.full(5, -100, np.int8), "b": np.full(5, -30000, np.int16),
             "c": np.full(6, 65535, np.uint16), "d": np.full(3, 4000000000, np.uint32),
             "e": np.array([1, 2 ** 63, 2 ** 64 - 1], np.uint64)}
    got = MODEL.run("integers")
    for name, value in start.items():
        require(got[name].dtype == value.dtype, f"{name} is {got[name].dtype}")
    same(got, **start)
    saved = MODEL.variables("integers")
    same(saved, i8=start["a"] + start["a"], i16=start["b"] + start["b"], u16=np.zeros(6),
         u32=start["d"] + start["d"], u64=start["e"] + start["e"])


def untouched_variables_keep_their_start():
    saved = MODEL.variables("types")
    same(saved, v=1, w=[1, 2, 3], n=5, big=np.full(20011, 2))
    x = np.float32(7).reshape(())
    same(MODEL.variables("unread", {"x": x}), v=7)


def a_run_goes_on_where_another_ended():
    file = os.path.join(MODEL.folder, "half.safetensors")
    MODEL.run("swap", {}, ["--steps=2", f"--save={file}"])
    before = harness.read_safetensors(file)
    rest = MODEL.variables("swap", {}, ["--steps=3", f"--load={file}"])
    whole = MODEL.variables("swap", {}, ["--steps=5"])
    for name, value in whole.items():
        Fetch(value, rel=0).compare(rest[name])
    require(set(before) == {"v", "w", "n", "big", "bytes", "d", "i8", "i16", "u16", "u32",
                            "u64"},
            f"saved are {sorted(before)}")


def batches_come_in_order():
    x = np.arange(40, dtype=np.float32).reshape(20, 2)
    n = np.arange(20, dtype=np.int32) * 10
    file = os.path.join(MODEL.folder, "points.npz")
    np.savez(file, x=x, n=n)
    for step in (1, 2, 3):
        got = MODEL.run("batches", {}, [f"--data=points={file}",
                                        f"--steps={step}"])
        at = 6 * (step - 1)
        same(got, x=x[at:at + 3], n=n[at:at + 3], y=x[at + 3:at + 6],
             m=n[at + 3:at + 6])


CHECKS = [reads_see_the_assignments_above, variables_may_be_exchanged,
          a_fetch_keeps_the_value_of_its_place, all_types_are_kept,
          integers_of_all_sizes,
          untouched_variables_keep_their_start,
          a_run_goes_on_where_another_ended, batches_come_in_order]

if __name__ == "__main__":
    MODEL = Model(sys.argv[1], TEXT)
    harness.run_checks(CHECKS)
