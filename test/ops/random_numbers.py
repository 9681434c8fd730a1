# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: the documented bits, their distributions, their seeds."""
import math
import re
import sys

import numpy as np

import harness
from harness import Fetch, Model, require

WORD = 0xFFFFFFFF
COUNT = 200003
erf = np.vectorize(math.erf, otypes=[float])


def philox(counter, key):
    """Philox4x32-10 of arrays of counter words and two key words."""
    c = [np.asarray(w, np.uint64) for w in counter]
    k = list(key)
    for _ in range(10):
        low, high = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(high >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]),
             high & np.uint64(WORD),
             (low >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]),
             low & np.uint64(WORD)]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return c


def uniform(count, stream, seed=0, step=0, replica=0):
    """What tfir.philox_uniform documents."""
    i = np.arange(count)
    same = np.zeros_like(i)
    if count % 64 == 0:  # one stream for all replicas, one after another
        i, replica = i + replica * count, 0
    block = (i // 64) * 16 + i % 16
    words = philox([block, same + stream, same + step, same + replica],
                   [seed & WORD, seed >> 32])
    x = np.choose((i // 16) % 4, words) >> np.uint64(8)
    return (x / 2.0 ** 24).astype(np.float32)


def text():
    word = "tensor<i32>"
    words = f"({word}, {word}, {word}, {word})"
    kind = f"tensor<{COUNT}xf32>"
    lines = ["module @random {"]
    for name, init in VARIABLES.items():
        lines.append(f"  tfir.variable @{name} : tensor<300x400xf32> = {init}")
        lines.append(harness.graph(
            f"read_{name}", {}, f"%v = tfir.read @{name} : tensor<300x400xf32>",
            {"v": "tensor<300x400xf32>"}))
    for count, stream in PHILOX.items():
        feeds = {n: np.int32(0).reshape(()) for n in "abcd"}
        lines.append(harness.graph(
            f"philox_{count}", feeds,
            f"%v = tfir.philox_uniform %a, %b, %c, %d {{stream = {stream} : "
            f"i64}} : {words} -> tensor<{count}xf32>",
            {"v": f"tensor<{count}xf32>"}))
    state = "\n".join(["%s0, %s1, %s2, %s3 = tfir.step_state"] + [
        f"%w{i} = tfir.cast %s{i} : ({word}) -> tensor<i64>"
        for i in range(4)])
    lines.append(harness.graph("state", {}, state,
                               {f"w{i}": "tensor<i64>" for i in range(4)}))
    for name, op in OPS.items():
        lines.append(harness.graph(name, {}, f"%v = tfir.{op} : {kind}",
                                   {"v": kind}))
    x = np.ones(COUNT, np.float32)
    dropout = "\n".join([
        f"%v = tfir.dropout %a {{keep_prob = 0.3 : f64}} : ({kind}) -> {kind}",
        f"%d = tfir.gradients %v, %a : ({kind}, {kind}) -> {kind}",
        f"%k = tfir.dropout %a {{keep_prob = 1.0 : f64}} : ({kind}) -> {kind}"])
    lines.append(harness.graph("dropout", {"a": x}, dropout,
                               {n: kind for n in "vdk"}))
    lines += empty_text()
    return "\n".join(lines + ["}", ""])


EMPTY = ("0", "3x0", "0x5", "2x0x70")


def empty_text():
    """Random numbers, dropout and a first value without a single element."""
    lines = ["  tfir.variable @nothing : tensor<3x0xf32> = #tfir.random_normal"]
    body = ["%w = tfir.read @nothing : tensor<3x0xf32>"]
    fetches = {"w": "tensor<3x0xf32>"}
    for i, shape in enumerate(EMPTY):
        kind = f"tensor<{shape}xf32>"
        for op in ("random_uniform", "random_normal", "truncated_normal"):
            body.append(f"%{op}{i} = tfir.{op} : {kind}")
            fetches[f"{op}{i}"] = kind
        body.append(f"%d{i} = tfir.dropout %random_uniform{i} {{keep_prob = 0.5"
                    f" : f64}} : ({kind}) -> {kind}")
        fetches[f"d{i}"] = kind
    return lines + [harness.graph("empty", {}, "\n".join(body), fetches)]


PHILOX = {64: 0, 1000: 936, 20011: 19947, 3200: 5, 12800: 5}
OPS = {
    "uniform": "random_uniform {seed = 7 : i64}",
    "uniform_again": "random_uniform {seed = 7 : i64}",
    "uniform_other": "random_uniform {seed = 8 : i64}",
    "interval": "random_uniform {minval = -3.0 : f64, maxval = 5.0 : f64}",
    "normal": "random_normal {mean = 2.0 : f64, stddev = 3.0 : f64}",
    "truncated": "truncated_normal {mean = -1.0 : f64, stddev = 0.5 : f64}",
}
VARIABLES = {
    "by_normal": "#tfir.random_normal<stddev = 0.1>",
    "by_truncated": "#tfir.truncated_normal<mean = 1.0, stddev = 0.1>",
    "by_uniform": "#tfir.random_uniform<minval = -1.0, maxval = 3.0>",
    "by_seed": "#tfir.random_normal<stddev = 0.1, seed = 5>",
    "by_same_seed": "#tfir.random_normal<stddev = 0.1, seed = 5>",
}


def numbers(graph, *options):
    return MODEL.run(graph, {}, options)["v"]


def oracle_knows_the_published_answers():
    for counter, key, want in (
            ([0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
            ([WORD] * 4, [WORD] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
            ([0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
             [0xA4093822, 0x299F31D0], "d16cfe09 94fdcceb 5001e420 24126ea1")):
        got = " ".join(f"{int(w):08x}" for w in philox(counter, key))
        require(got == want, f"{got}, not {want}")


def philox_gives_the_published_answer():
    zero = np.zeros((), np.int32)
    got = MODEL.run("philox_64", {n: zero for n in "abcd"})["v"]
    words = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    want = np.float32([(w >> 8) / 2 ** 24 for w in words])
    require((got[::16] == want).all(), f"{got[::16]}, not {want}")


def philox_gives_the_documented_bits():
    values = {"a": -123456789, "b": 77, "c": 3, "d": 5}
    feeds = {n: np.asarray(v, np.int32) for n, v in values.items()}
    for count, stream in PHILOX.items():
        want = uniform(count, stream, (-123456789 & WORD) | 77 << 32, 3, 5)
        for options in harness.RUNS:
            got = MODEL.run(f"philox_{count}", feeds, options)["v"]
            Fetch(want, rel=0).compare(got)


def towers_draw_what_one_device_draws():
    """3200 numbers in each of four towers are 12800 on one device."""
    def draw(count, tower):
        values = {"a": 4, "b": 9, "c": 2, "d": tower}
        return MODEL.run(f"philox_{count}", {
            n: np.asarray(v, np.int32) for n, v in values.items()})["v"]
    whole = draw(12800, 0)
    parts = np.concatenate([draw(3200, tower) for tower in range(4)])
    require((whole == parts).all(), "the towers draw other numbers")
    # No whole blocks: they still draw different numbers.
    require((draw(1000, 0) != draw(1000, 1)).mean() > 0.999,
            "two towers draw the same")


def step_state_counts():
    got = MODEL.run("state", {}, ["--seed=12345678901234", "--steps=4"])
    words = [int(got[f"w{i}"]) & WORD for i in range(4)]
    seed = 12345678901234
    require(words == [seed & WORD, seed >> 32, 3, 0], f"it is {words}")


def stream_of(graph):
    """The stream of a graph's random numbers, as the compiler prints it."""
    phases = harness.command(["graphc", "--stop-after=differentiated",
                              f"{MODEL.folder}/model.tfir"])
    part = phases.split(f"tfir.graph @{graph}(", 1)[1]
    return int(re.search(r"stream = (\d+)", part).group(1))


def uniform_is_a_philox_stream():
    want = uniform(COUNT, stream_of("uniform"), 99 << 32 | 5, step=2)
    got = numbers("uniform", f"--seed={99 << 32 | 5}", "--steps=3")
    Fetch(want, rel=0).compare(got)
    require((got >= 0).all() and (got < 1).all(), "a number is not in [0, 1)")


def interval_is_kept():
    got = numbers("interval")
    want = uniform(COUNT, stream_of("interval")) * 8.0 - 3.0
    Fetch(want.astype(np.float32), rel=1e-6, floor=0.1).compare(got)
    require((got >= -3).all() and (got < 5).all(), "a number is outside")


def distribution(values, cumulative):
    """Kolmogorov and Smirnov's test, at one in 10^4."""
    ordered = np.sort(values.ravel().astype(float))
    places = (np.arange(ordered.size) + 0.5) / ordered.size
    distance = np.abs(cumulative(ordered) - places).max()
    limit = 2.23 / math.sqrt(ordered.size)
    require(distance < limit, f"off the distribution by {distance:.3g}, at most "
                              f"{limit:.3g}")


def normal_cumulative(mean, stddev):
    return lambda x: 0.5 + 0.5 * erf((x - mean) / stddev / math.sqrt(2))


def truncated_cumulative(mean, stddev):
    inside = math.erf(math.sqrt(2))
    return lambda x: 0.5 + 0.5 * erf(
        (x - mean) / stddev / math.sqrt(2)) / inside


def normal_has_its_distribution():
    values = numbers("normal").astype(float)
    distribution(values, normal_cumulative(2, 3))
    z = (values - 2) / 3
    for power, want, spread in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        moment, limit = np.mean(z ** power), 4.5 * math.sqrt(spread / COUNT)
        require(abs(moment - want) < limit, f"moment {power} is {moment}")
    require(np.abs(z).max() > 3.5, "the tails are missing")
    require(abs(np.corrcoef(z[:-1], z[1:])[0, 1]) < 0.01, "neighbours correlate")


def truncated_has_its_distribution():
    values = numbers("truncated").astype(float)
    distribution(values, truncated_cumulative(-1, 0.5))
    require(np.abs(values + 1).max() < 1, "a number is two deviations off")
    require(np.abs(values + 1).max() > 0.99, "the ends are missing")


def seeds_and_steps_tell_streams_apart():
    first = numbers("uniform", "--seed=1")
    same = {"the same run": numbers("uniform", "--seed=1"),
            "one thread": numbers("uniform", "--seed=1", "--threads=1"),
            "the plain kernels": numbers("uniform", "--seed=1",
                                         "--cpu-level=v3"),
            "another op of that seed": numbers("uniform_again", "--seed=1")}
    for what, values in same.items():
        require((values == first).all(), f"{what} gives other numbers")
    other = {"another seed": numbers("uniform", "--seed=2"),
             "a far seed": numbers("uniform", f"--seed={1 + 2 ** 32}"),
             "another step": numbers("uniform", "--seed=1", "--steps=2"),
             "another op": numbers("uniform_other", "--seed=1")}
    for what, values in other.items():
        require((values == first).mean() < 1e-4, f"{what} gives these numbers")


def variables_start_at_random():
    got = {name: MODEL.run(f"read_{name}", {}, ["--seed=3"])["v"]
           for name in VARIABLES}
    distribution(got["by_normal"], normal_cumulative(0, 0.1))
    distribution(got["by_truncated"], truncated_cumulative(1, 0.1))
    distribution(got["by_uniform"], lambda x: (x + 1) / 4)
    distribution(got["by_seed"], normal_cumulative(0, 0.1))
    require((got["by_seed"] == got["by_same_seed"]).all(),
            "variables of one seed differ")
    require((got["by_normal"] != got["by_seed"]).any(),
            "variables of different seeds are equal")
    again = MODEL.run("read_by_normal", {}, ["--seed=4"])["v"]
    require((again != got["by_normal"]).any(), "the run's seed does not count")


def dropout_keeps_and_scales():
    x = np.linspace(1, 2, COUNT, dtype=np.float32)
    got = MODEL.run("dropout", {"a": x})
    kept = got["v"] != 0
    share = kept.mean()
    require(abs(share - 0.3) < 4.5 * math.sqrt(0.21 / COUNT),
            f"{share} of the elements are kept")
    Fetch(np.where(kept, x / np.float32(0.3), 0).astype(np.float32),
          rel=3e-7).compare(got["v"])
    Fetch(np.where(kept, 1 / 0.3, 0).astype(np.float32),
          rel=3e-7).compare(got["d"])
    Fetch(x, rel=0).compare(got["k"])


def empty_shapes_are_possible():
    got = MODEL.run("empty", {})
    require(all(value.size == 0 for value in got.values()), "not empty")
    require(got["w"].shape == (3, 0), f"the variable is {got['w'].shape}")


CHECKS = [
    oracle_knows_the_published_answers, philox_gives_the_published_answer,
    philox_gives_the_documented_bits, towers_draw_what_one_device_draws,
    step_state_counts,
    uniform_is_a_philox_stream, interval_is_kept, normal_has_its_distribution,
    truncated_has_its_distribution, seeds_and_steps_tell_streams_apart,
    variables_start_at_random, dropout_keeps_and_scales,
    empty_shapes_are_possible,
]


if __name__ == "__main__":
    MODEL = Model(sys.argv[1], text())
    harness.run_checks(CHECKS)
