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
    lines += empty_text() + draws_text() + like_text()
    return "\n".join(lines + ["}", ""])


LIKE = ["random_uniform_like {minval = -3.0 : f64, maxval = 5.0 : f64, seed = 6 : i64}",
        "random_normal_like {mean = 2.0 : f64, stddev = 3.0 : f64, seed = 6 : i64}",
        "truncated_normal_like {stddev = 0.5 : f64, seed = 6 : i64}"]


def like_text():
    """Of the shape of a tensor, and of that shape, with one seed."""
    body, fetches = [], {}
    for text in LIKE:
        like, settings = text.split(" ", 1)
        op = like.removesuffix("_like")
        body += [f"%{like} = tfir.{like} %x {settings} : (tensor<70x9xi8>) -> "
                 "tensor<70x9xf32>", f"%{op} = tfir.{op} {settings} : tensor<70x9xf32>",
                 f"%{op}_none = tfir.{like} %o : (tensor<0x3xf64>) -> tensor<0x3xf32>"]
        fetches |= {like: "tensor<70x9xf32>", op: "tensor<70x9xf32>",
                    f"{op}_none": "tensor<0x3xf32>"}
    return [harness.graph("like", {"x": np.zeros((70, 9), np.int8),
                                   "o": np.zeros((0, 3))}, "\n".join(body), fetches)]


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


def draws_text():
    """Draws from distributions, whose numbers are counted, and orders."""
    n, f = DRAWS, "tensor<4xf32>"
    many = f"tensor<{n}xf32>"
    return [harness.graph(
        "draws", {"p": np.zeros((), "f"), "x": np.zeros((4,), "f"),
                  "o": np.zeros((500, 2), np.int32), "a": np.zeros((3,), "f"),
                  "b": np.zeros((), "f")}, "\n".join([
        f"%i = tfir.random_uniform_int {{minval = -3 : i64, maxval = 4 : i64}} "
        f": tensor<{n}xi64>",
        f"%w = tfir.random_uniform_int {{minval = 2147483000 : i64, maxval = "
        f"2147483648 : i64, seed = 4 : i64}} : tensor<{n}xi32>",
        f"%q = tfir.broadcast_to %p : (tensor<f32>) -> {many}",
        f"%t = tfir.bernoulli %q : ({many}) -> tensor<{n}xi32>",
        f"%l = tfir.reshape %x : ({f}) -> tensor<1x4xf32>",
        f"%m = tfir.multinomial %l {{num_samples = {n} : i64}} : "
        f"(tensor<1x4xf32>) -> tensor<1x{n}xi64>",
        "%s = tfir.random_shuffle %o {seed = 5 : i64} : (tensor<500x2xi32>) -> "
        "tensor<500x2xi32>",
        f"%g = tfir.random_gamma %a, %b {{shape = array<i64: {n}>}} : "
        f"(tensor<3xf32>, tensor<f32>) -> tensor<{n}x3xf32>"]),
        {"i": f"tensor<{n}xi64>", "w": f"tensor<{n}xi32>",
         "t": f"tensor<{n}xi32>", "m": f"tensor<1x{n}xi64>",
         "s": "tensor<500x2xi32>", "g": f"tensor<{n}x3xf32>"})]


def drawn(*options):
    shares = np.float32([0.1, 0.2, 0.7, 0])
    with np.errstate(divide="ignore"):
        logits = np.log(shares) + np.float32(3)
    return MODEL.run("draws", {
        "p": np.float32(0.3).reshape(()), "x": logits,
        "o": np.arange(1000, dtype=np.int32).reshape(500, 2),
        "a": np.float32([0.5, 1, 2]), "b": np.float32(2).reshape(())}, options)


DRAWS = 20003
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


def streams_of(graph):
    """The streams of a graph's random numbers, as the compiler prints them."""
    phases = harness.command(["graphc", "--stop-after=differentiated",
                              f"{MODEL.folder}/model.tfir"])
    part = phases.split(f"tfir.graph @{graph}(", 1)[1]
    return [int(n) for n in re.findall(r"stream = (\d+)", part)]


def stream_of(graph):
    return streams_of(graph)[0]


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


def share(values, which, want):
    part = (values == which).mean()
    limit = 4.5 * math.sqrt(want * (1 - want) / values.size) + 1e-12
    require(abs(part - want) < limit, f"{which} is {part} of them, not {want}")


def integers_have_the_documented_bits():
    got = drawn("--seed=9", "--steps=2")
    high, low = (uniform(DRAWS, stream, 9, step=1).astype(float) * 2 ** 24
                 for stream in streams_of("draws")[:2])
    bits = high.astype(np.int64) << 24 | low.astype(np.int64)
    Fetch(bits % 7 - 3, rel=0).compare(got["i"])
    for number in range(-3, 4):
        share(got["i"], number, 1 / 7)
    require(got["w"].min() >= 2147483000 and got["w"].max() <= 2147483647,
            "an integer is outside")
    require(len(np.unique(got["w"])) == 648, "some integers are missing")


def draws_have_their_distributions():
    got = drawn()
    for options in (["--threads=1", "--cpu-level=v3"],):
        for name, values in drawn(*options).items():
            if name != "g":
                require((values == got[name]).all(), f"{name} is another")
    share(got["t"], 1, 0.3)
    require(set(np.unique(got["t"])) == {0, 1}, "neither 0 nor 1")
    for number, want in enumerate((0.1, 0.2, 0.7, 0)):
        share(got["m"], number, want)
    cumulatives = (lambda x: erf(np.sqrt(2 * x)), lambda x: 1 - np.exp(-2 * x),
                   lambda x: 1 - np.exp(-2 * x) * (1 + 2 * x))
    for column, cumulative in enumerate(cumulatives):
        distribution(got["g"][:, column], cumulative)
    require(abs(np.corrcoef(got["g"][:, 1], got["g"][:, 2])[0, 1]) < 0.03,
            "samples correlate")


def orders_are_random():
    rows = drawn()["s"]
    require((rows[:, 1] == rows[:, 0] + 1).all(), "a row is not kept")
    order = rows[:, 0] // 2
    require((np.sort(order) == np.arange(500)).all(), "rows are missing")
    require(abs(np.corrcoef(order, np.arange(500))[0, 1]) < 0.2,
            "the order is about the old one")
    other = drawn("--steps=2")["s"][:, 0] // 2
    require((other != order).mean() > 0.9, "a step has the order of another")


def numbers_of_a_shape_are_those_of_its_tensor():
    got = MODEL.run("like", {"x": np.ones((70, 9), np.int8), "o": np.zeros((0, 3))})
    for text in LIKE:
        op = text.split("_like")[0]
        require((got[f"{op}_like"] == got[op]).all(), f"{op}_like draws others")
        require(got[f"{op}_none"].shape == (0, 3), f"{op}_like of nothing draws some")
        require(len(np.unique(got[op])) > 600, f"{op} repeats numbers")


CHECKS = [
    numbers_of_a_shape_are_those_of_its_tensor,
    integers_have_the_documented_bits, draws_have_their_distributions,
    orders_are_random,
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
