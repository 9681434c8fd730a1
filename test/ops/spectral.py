# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fourier transforms of numbers and of pairs, against NumPy's."""
import numpy as np

import harness
from harness import Case, Fetch, graph, type_of
from opcases import normal, op_case

# Powers of 2 and 4, products, primes.
SIZES = (1, 2, 8, 11, 30, 64)


def numbers(pairs):
    return pairs[..., 0] + 1j * pairs[..., 1]


def pairs(x):
    return np.stack([x.real, x.imag], -1)


def limits(dtype):
    return ({"norm": 1e-6, "gradient_norm": 1e-4} if dtype == np.float32 else
            {"norm": 1e-14, "gradient_norm": 1e-6})


def pair_cases():
    for size in SIZES:
        for dtype in ((np.float32, np.float64) if size == 30 else
                      (np.float32,)):
            x = normal(size, 2, size, 2, dtype=dtype)
            for op in ("fft", "ifft"):
                yield op_case(f"{op}_{size}_{np.dtype(dtype).name}", op, [x],
                              lambda v, f=getattr(np.fft, op): pairs(
                                  f(numbers(v))), by=(0,), **limits(dtype))
    for number, shape in enumerate([(8, 6), (2, 5, 4), (0, 3, 2), (1, 1)]):
        x = normal(number, *shape, 2)
        for op in ("fft2d", "ifft2d"):
            function = np.fft.fft2 if op == "fft2d" else np.fft.ifft2
            yield op_case(f"{op}_{number}", op, [x],
                          lambda v, f=function: pairs(f(numbers(v))), by=(0,),
                          **limits(np.float32))
    yield op_case("fft_vector", "fft", [normal(1, 20, 2)],
                  lambda v: pairs(np.fft.fft(numbers(v))), by=(0,),
                  **limits(np.float32))


def real_cases():
    for number, (size, length) in enumerate([
            (8, None), (7, None), (1, None), (8, 6), (8, 13), (5, 1), (2, 2)]):
        x = normal(number, 3, size)
        text = f"fft_length = {length} : i64" if length else ""
        yield op_case(f"rfft_{number}", "rfft", [x],
                      lambda v, n=length: pairs(np.fft.rfft(v, n)), text,
                      by=(0,), **limits(np.float32))
    for number, (places, length) in enumerate([
            (5, None), (2, None), (5, 9), (5, 6), (4, 12), (3, 1)]):
        x = normal(number, 3, places, 2)
        text = f"fft_length = {length} : i64" if length else ""
        yield op_case(f"irfft_{number}", "irfft", [x],
                      lambda v, n=length: np.fft.irfft(numbers(v), n), text,
                      by=(0,), **limits(np.float32))


def table_cases():
    for conjugate in (False, True):
        x = normal(5, 3, 6, 2)
        turns = np.exp((2j if conjugate else -2j) * np.pi * np.arange(6) / 6)
        roots = pairs(turns.conj() if conjugate else turns).astype("f")
        feeds = {"a": x, "w": roots, "r": np.full(x.shape, 0.5, "f")}
        kind, table = type_of(x), type_of(roots)
        mark = " {conjugate}" if conjugate else ""
        name = f"dft_{conjugate}".lower()
        body = "\n".join([
            f"%z = tfir.neg %a : ({kind}) -> {kind}",
            f"%y = tfir.dft %z, %w{mark} : ({kind}, {table}) -> {kind}",
            f"%y0 = tfir.neg %y : ({kind}) -> {kind}",
            f"%l = tfir.mul %y0, %r : ({kind}, {kind}) -> {kind}",
            f"%d = tfir.gradients %l, %a : ({kind}, {kind}) -> {kind}"])
        function = (lambda v: np.fft.ifft(v) * 6) if conjugate else np.fft.fft
        back = np.fft.fft if conjugate else (lambda v: np.fft.ifft(v) * 6)
        yield Case(name, graph(name, feeds, body, {"y0": kind, "d": kind}),
                   feeds, {
                       "y0": Fetch(pairs(function(numbers(x))).astype("f"),
                                   norm=1e-6),
                       "d": Fetch(pairs(back(numbers(feeds["r"]))).astype("f"),
                                  norm=1e-6)}, gradient_of=("dft",))


def cases():
    return [*pair_cases(), *real_cases(), *table_cases()]


if __name__ == "__main__":
    harness.main(cases())
