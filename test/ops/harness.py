# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles graphs, runs them, and compares their fetches with references.

A family of tests is a list of cases, each one graph of a common module, so that
one call of graphc compiles them all, and one process runs them. Every case runs
twice: with the best kernels of this CPU on two threads, and with the plain ones
on one; or, with GRAPHC_TEST_DEVICES=gpu:0, once on that device; where there is the assembler of the
CUDA toolkit, it must take what was compiled. GRAPHC_TEST_CPU_TARGET names another
target of CPUs, whose code is the same for all levels and runs once.
"""
import functools
import json
import os
import shutil
import struct
import subprocess
import sys

import numpy as np

import ptxas

ELEMENTS = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64",
            "bool": "i1", "uint8": "ui8", "float16": "f16", "int8": "i8",
            "int16": "i16", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64"}
DEVICES = os.environ.get("GRAPHC_TEST_DEVICES")
CPU_TARGET = os.environ.get("GRAPHC_TEST_CPU_TARGET")
RUNS = (((),) if DEVICES or CPU_TARGET else
        (("--threads=2",), ("--threads=1", "--cpu-level=v3")))


def type_of(value):
    """The type of an array, as .tfir writes it."""
    sizes = "".join(f"{n}x" for n in value.shape)
    return f"tensor<{sizes}{ELEMENTS[value.dtype.name]}>"


class Failure(Exception):
    """What a test found wrong."""


class Fetch:
    """What a graph must give under one name.

    Floats may differ from the reference by `norm`, relative to its Euclidean norm
    (and single elements by five times that, relative to the largest), or by
    `rel`, relative to each element. What is below `floor` counts as that large.
    Other types must be equal.
    """

    def __init__(self, want, norm=None, rel=None, floor=1e-30):
        self.want = np.asarray(want)
        self.norm, self.rel, self.floor = norm, rel, floor

    def compare(self, got):
        want = self.want
        if got.shape != want.shape or got.dtype != want.dtype:
            raise Failure(f"has type {type_of(got)}, not {type_of(want)}")
        if want.dtype.kind != "f":
            self.report(got, np.asarray(got != want, float), 0)
            return
        with np.errstate(all="ignore"):
            special = ~np.isfinite(want) | ~np.isfinite(got)
            same = (got == want) | (np.isnan(got) & np.isnan(want))
            error = np.abs(got.astype(float) - want.astype(float))
            finite = np.where(special, 0, np.abs(want.astype(float)))
        error = np.where(special, np.where(same, 0, np.inf), error)
        if self.rel is not None:
            self.report(got, error / np.maximum(finite, self.floor), self.rel)
        else:
            self.compare_norms(got, error, finite)

    def compare_norms(self, got, error, size):
        limit = self.norm or 0
        scale = max(size.max(initial=0), self.floor)
        self.report(got, error / scale, 5 * limit)
        whole = np.sqrt(np.sum(np.maximum(size, self.floor) ** 2))
        norm = np.sqrt(np.sum(error ** 2))
        if norm > limit * whole:
            raise Failure(f"differs in norm by {norm / whole:.3g}, at most "
                          f"{limit:.3g}")

    def report(self, got, error, limit):
        """Fails where `error` passes the limit."""
        if not error.size or error.max() <= limit:
            return
        place = np.unravel_index(error.argmax(), error.shape)
        raise Failure(f"[{', '.join(map(str, place))}] is {got[place]!r}, not "
                      f"{self.want[place]!r}: error {error.max():.3g}, at most "
                      f"{limit:.3g}; {int((error > limit).sum())} of "
                      f"{error.size} elements are wrong")


class LazyFetch(Fetch):
    """A Fetch whose right value is `make()`, computed when it is first asked for:
    who only reads the texts of cases does not wait for thousands of differences."""

    def __init__(self, make, norm=None, rel=None, floor=1e-30):
        self.make = make
        self.norm, self.rel, self.floor = norm, rel, floor

    @functools.cached_property
    def want(self):
        return np.asarray(self.make())


class Check:
    """A test of a fetch that has no single right value."""

    def __init__(self, function):
        self.compare = function


class Case:
    """One graph with its feeds, and a Fetch or Check for each of its fetches."""

    def __init__(self, name, text, feeds, fetches, gradient_of=()):
        self.name, self.text, self.feeds, self.fetches = (name, text, feeds,
                                                          fetches)
        self.gradient_of = gradient_of


def graph(name, feeds, body, fetches):
    """A tfir.graph; `feeds` are arrays by name, `fetches` types by value name."""
    arguments = ", ".join(f"%{n}: {type_of(v)}" for n, v in feeds.items())
    results = ", ".join(f"{n}: {t}" for n, t in fetches.items())
    values = ", ".join(f"%{n}" for n in fetches)
    types = ", ".join(fetches.values())
    lines = [line.strip() for line in body.strip().splitlines()]
    return "\n".join([f"  tfir.graph @{name}({arguments}) -> ({results}) {{"] +
                     ["    " + line for line in lines] +
                     [f"    tfir.return {values} : {types}", "  }"])


def command(arguments, text=None):
    """Runs a tool to its end, with `text` as its input; its output. Fails with
    what it says."""
    done = subprocess.run(arguments, stdout=subprocess.PIPE, timeout=300,
                          stderr=subprocess.STDOUT, text=True, input=text)
    if done.returncode:
        raise Failure(f"{' '.join(arguments)}\nended with code "
                      f"{done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def own_level():
    """The option of graphc for code of this CPU's level alone: half the work."""
    probe = json.loads(command(["graphc-server", "--probe", "--json"]))
    return "--cpu-level=" + probe["cpu_level"].removeprefix("x86-64-")


def read_safetensors(path):
    """The tensors of a .safetensors file by name."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    kinds = {"F32": "<f4", "F64": "<f8", "I32": "<i4", "I64": "<i8",
             "U8": "u1", "BOOL": "?", "F16": "<f2", "I8": "i1", "I16": "<i2",
             "U16": "<u2", "U32": "<u4", "U64": "<u8"}
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + n for n in entry["data_offsets"])
        tensors[name] = np.frombuffer(
            data[begin:end], kinds[entry["dtype"]]).reshape(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    """A .safetensors file of arrays by name."""
    kinds = {"float32": "F32", "float64": "F64", "int32": "I32",
             "int64": "I64", "uint8": "U8"}
    header, data = {}, b""
    for name, value in tensors.items():
        begin, data = len(data), data + value.tobytes()
        header[name] = {"dtype": kinds[value.dtype.name],
                        "shape": list(value.shape),
                        "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def require_same(got, want, what):
    """The same type and elements."""
    require(got.dtype == want.dtype, f"{what} is {got.dtype}")
    require(np.array_equal(got, want), f"{what}: {got}, not {want}")


class Model:
    """A compiled module in a folder of its own."""

    def __init__(self, folder, text, options=()):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "model.bin")
        source = os.path.join(folder, "model.tfir")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        if DEVICES:
            # None of the kernels for CPUs is run.
            options = [f"--devices={DEVICES}", "--cpu-level=v3", *options]
        if CPU_TARGET:
            options = [f"--cpu-target={CPU_TARGET}", own_level(), *options]
        command(["graphc", source, "-o", self.path, *options])
        if DEVICES and ptxas.is_there():
            self.assemble()

    @staticmethod
    def of_input(name):
        """Of a text in Inputs, in the folder that is the first argument."""
        inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
        with open(os.path.join(inputs, name), encoding="utf-8") as file:
            return Model(sys.argv[1], file.read())

    def assemble(self):
        text = command(["graphc-dump", self.path, "--what=ptx"])
        try:
            ptxas.assemble(text, self.folder)
        except ValueError as error:
            raise Failure(str(error)) from error

    def run(self, name, feeds=None, options=()):
        """The fetches of the last step, by name."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        line = ["graphc-run", self.path, f"--graph={name}", "--nan=ignore"]
        for feed, value in (feeds or {}).items():
            file = os.path.join(folder, feed + ".npy")
            np.save(file, value)
            line += ["--feed", f"{feed}={file}"]
        out = os.path.join(folder, "out")
        shutil.rmtree(out, ignore_errors=True)
        command(line + ["--quiet", f"--out={out}", *options])
        return {file[:-4]: np.load(os.path.join(out, file))
                for file in os.listdir(out)}

    def variables(self, name, feeds=None, options=()):
        """The variables after a run."""
        file = os.path.join(self.folder, name + ".safetensors")
        if os.path.exists(file):
            os.remove(file)
        self.run(name, feeds, [*options, f"--save={file}"])
        return read_safetensors(file)


def module(cases, name="cases"):
    """The text of a module with the graph of each case."""
    texts = [case.text for case in cases]
    return "\n".join([f"module @{name} {{"] + texts + ["}", ""])


def run_cases(model, cases, options):
    """The fetches of each case by name, or the Failure of its run.

    One process runs them all, since to start one, and to load a model for a GPU,
    takes longer than a case. Where it does not come to its end, each case runs
    alone, so that the one that ends the process is named.
    """
    feeds = os.path.join(model.folder, "feeds.npz")
    out = os.path.join(model.folder, "fetches.npz")
    np.savez(feeds, **{f"{case.name}/{feed}": value for case in cases
                       for feed, value in case.feeds.items()})
    try:
        said = command(["run-graphs", model.path, feeds, out, *options],
                       "".join(case.name + "\n" for case in cases))
    except Failure:
        return {case.name: run_alone(model, case, options) for case in cases}
    results = {case.name: {} for case in cases}
    with np.load(out) as arrays:
        for key in arrays.files:
            case, fetch = key.split("/", 1)
            results[case][fetch] = arrays[key]
    for line in said.splitlines():
        case, _, message = line.partition(": ")
        results[case] = Failure(message)
    return results


def run_alone(model, case, options):
    try:
        return model.run(case.name, case.feeds, options)
    except Failure as failure:
        return failure


def compare_case(case, got, options):
    """Yields what is wrong with the fetches of a case."""
    if isinstance(got, Failure):
        yield f"{case.name} {' '.join(options)}: {got}"
        return
    for name, fetch in case.fetches.items():
        try:
            fetch.compare(got[name])
        except Failure as failure:
            yield f"{case.name} {' '.join(options)}: '{name}' {failure}"


def check_cases(folder, cases):
    """Compiles and runs cases; the number of failures, which it prints."""
    names = [case.name for case in cases]
    assert len(set(names)) == len(names), "two cases have one name"
    model = Model(folder, module(cases))
    failures = []
    for options in RUNS:
        results = run_cases(model, cases, options)
        failures += [line for case in cases
                     for line in compare_case(case, results[case.name], options)]
    for line in failures:
        print(line)
    print(f"{len(cases)} cases, {len(failures)} failures in {model.path}")
    return len(failures)


def main(cases):
    """The body of a family's program, which takes a folder to work in."""
    if check_cases(sys.argv[1], cases):
        sys.exit(1)


def require(condition, text):
    """Fails with `text` unless the condition holds."""
    if not condition:
        raise Failure(text)


def run_checks(checks):
    """Runs functions that fail by Failure; ends the program if any does."""
    failed = 0
    for check in checks:
        try:
            check()
        except Failure as failure:
            failed += 1
            print(f"{check.__name__}: {failure}")
    print(f"{len(checks)} checks, {failed} failures")
    if failed:
        sys.exit(1)
