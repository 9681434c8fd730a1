# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in a program of two towers, planted by hand, are all found: by the
compiler's checks, or since the weights are not those of one device.

  planted.py SOURCE FOLDER
"""
import os
import re
import subprocess

import numpy as np

from common import SOURCE, command, harness, path, require

TEXT = f"{SOURCE}/test/models/Inputs/planted.tfir"
STEPS, LIMIT = 5, 1e-6


def replace(pattern, new, count=1):
    """A mutation: the first `count` places that fit the expression."""
    def mutate(text):
        mutated, found = re.subn(pattern, new, text, count=count, flags=re.M)
        require(found and mutated != text, f"no place for {pattern!r}")
        return mutated
    return mutate


def move_before(line, place):
    """A mutation: the first line with `line` goes above the one with `place`."""
    def mutate(text):
        lines = text.split("\n")
        moved = next(i for i, l in enumerate(lines) if re.search(line, l))
        taken = lines.pop(moved)
        lines.insert(next(i for i, l in enumerate(lines)
                          if re.search(place, l)), taken)
        return "\n".join(lines)
    return mutate


RING = "--reduce=ring"
# Mistake: (phase whose text is changed, change, flags)
MISTAKES = {
    "sum for mean": ("replicated", replace(
        r'(name = "tower_mean/w/Const"\}) dense<5.0+e-01>', r"\1 dense<1.0>")),
    "mean of another number of towers": ("replicated", replace(
        r'(name = "tower_mean/v/Const"\}) dense<5.0+e-01>', r"\1 dense<0.25>")),
    "regulariser counted once per tower": ("parsed", replace(
        r"dense<0\.0099\d+|dense<0\.01", "dense<0.02")),
    "one tower counts twice": ("replicated", replace(
        r'tfir.add (%\w+), (%\w+) (\{[^}]*"tower_mean/w/Add")',
        r"tfir.add \1, \1 \3")),
    "gradient of the last tower only": ("replicated", replace(
        r'tfir.mul %\w+, (%\w+) (\{[^}]*"tower_mean/b/Mul")',
        r"tfir.mul %loss_of_last, \1 \2")),
    "average before the update": ("differentiated", move_before(
        r"tfir.apply @w", r"tfir.return %")),
    "equal random numbers in the towers": ("replicated", replace(
        r'(tfir.step_state \{[^}]*tower_1[^}]*), replica = 1 : i64', r"\1")),
    "equal data in the towers": ("replicated", replace(
        "shard = 1 : i64, ", "")),
    "step counted once per tower": ("replicated", replace(
        r'(name = "global_step/Const"\}) dense<1>', r"\1 dense<2>")),
    "new value sent for the old": ("partitioned", lambda text: new_for_old(
        text)),
    "dropped send": ("partitioned", replace(
        r"^ *tfir.send %\S+ edge 0 .*\n", "")),
    "dropped receive's edge": ("partitioned", replace(
        r"tfir.recv edge 0 ", "tfir.recv edge 777 ")),
    "swapped sends of one type": ("partitioned", lambda text: swap_edges(text)),
    "swapped sends of two types": ("partitioned", lambda text: swap_types(
        text)),
    "wrong shape": ("partitioned", replace(
        r"(tfir.recv edge \d+ .*: )tensor<8x16xf32>", r"\1tensor<16x8xf32>")),
    "send to another program": ("partitioned", replace(
        r"(tfir.send %\S+ edge 0) to 1", r"\1 to 2")),
    "receive before the send that it needs": (
        "scheduled", lambda text: reverse_waits(text)),
    "reordered collective": ("scheduled", lambda text: reorder(text), RING),
    "copy of a variable without its update": ("replicated", replace(
        r'^ *tfir.assign @"w/mirror_1".*\n', "", count=9), RING),
}


def new_for_old(text):
    """The CPU sends w after its update, of whose gradient it is a part."""
    old = re.search(r"(%\w+) = tfir.read @w ", text).group(1)
    new = re.search(r"tfir.assign @w, (%\w+) ", text).group(1)
    lines = text.split("\n")
    send = re.compile(rf"tfir.send {old} ")
    moved = [l.replace(f"send {old} ", f"send {new} ") for l in lines
             if send.search(l)]
    kept = [l for l in lines if not send.search(l)]
    place = next(i for i, l in enumerate(kept) if "tfir.assign @w," in l)
    return "\n".join(kept[:place] + moved + kept[place:])


def sends(text, kind):
    return re.findall(rf"tfir.send %\S+ edge (\d+) to 0 .*: {kind}$", text,
                      re.M)


def exchange(text, a, b):
    """Edges a and b at their senders."""
    for old, new in ((a, "X"), (b, a), ("X", b)):
        text = re.sub(rf"(tfir.send %\S+ edge ){old} ", rf"\g<1>{new} ", text)
    return text


def swap_edges(text):
    scalars = sends(text, "tensor<f32>")
    return exchange(text, scalars[0], scalars[-1])


def swap_types(text):
    return exchange(text, sends(text, "tensor<f32>")[0],
                    sends(text, "tensor<8x16xf32>")[0])


def reverse_waits(text):
    """The first program receives before it sends; the others wait for it."""
    begin = text.index('exec.program @"train/CPU:0"')
    end = text.index("exec.program", begin + 1)
    program = text[begin:end]
    lines = program.split("\n")
    send = next(i for i, l in enumerate(lines) if "exec.send" in l)
    recv = next(i for i, l in enumerate(lines) if "exec.recv" in l)
    lines.insert(send, lines.pop(recv))
    # No wait inside the program is left to be wrong.
    lines = [re.sub(r"waits \[[^]]*\]", "waits []", l) for l in lines]
    return text[:begin] + "\n".join(lines) + text[end:]


def reorder(text):
    """A member of the ring sends its chunks in another order."""
    begin = text.index('exec.program @"train/GPU:1"')
    end = text.index("exec.program", begin + 1) if text.count(
        "exec.program", begin + 1) else len(text)
    program = text[begin:end]
    lines = program.split("\n")
    ring = [i for i, l in enumerate(lines) if "exec.send" in l]
    lines[ring[0]], lines[ring[-1]] = lines[ring[-1]], lines[ring[0]]
    return text[:begin] + "\n".join(lines) + text[end:]


def data():
    """64 rows of x and y."""
    random = np.random.Generator(np.random.PCG64(5))
    x = random.uniform(-1, 1, (64, 8)).astype(np.float32)
    np.save(path("x.npy"), x)
    np.save(path("y.npy"), (x[:, :1] * x[:, 1:2]).astype(np.float32))
    return f"--data=points={path('x.npy')},{path('y.npy')}"


def weights(model):
    file = path("weights.safetensors")
    command(["graphc-run", model, "--quiet", f"--steps={STEPS}", "--seed=4",
             "--virtual-gpus", f"--save={file}", data()])
    return harness.read_safetensors(file)


def distance(a, b):
    error = sum(np.sum((a[n].astype(float) - b[n]) ** 2) for n in a)
    return np.sqrt(error / sum(np.sum(a[n].astype(float) ** 2) for n in a))


class Planted:
    def __init__(self):
        self.want = weights(self.compile("one", []))
        self.found = {"checks": 0, "weights": 0}

    def compile(self, name, options):
        model = path(f"{name}.bin")
        command(["graphc", TEXT, "--batch=16", "-o", model, *options])
        return model

    def without(self, *options):
        """No mistake: the weights agree."""
        got = weights(self.compile("towers", ["--devices=gpu:0-1", *options]))
        error = distance(self.want, got)
        require(error <= LIMIT, f"without a mistake: {error:.3g} {options}")

    def plant(self, mistake, phase, mutate, *options):
        flags = ["--batch=16", "--devices=gpu:0-1", *options]
        text = command(["graphc", TEXT, f"--stop-after={phase}", *flags])
        if mistake == "gradient of the last tower only":
            last = re.search(r"tfir.add %\w+, (%\w+) \{[^}]*\"tower_mean/b/Add",
                             text).group(1)
            text = mutate(text).replace("%loss_of_last", last)
        else:
            text = mutate(text)
        file, model = path("mistake.mlir"), path("mistake.bin")
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        if os.path.exists(model):
            os.remove(model)
        done = subprocess.run(["graphc", f"--start-at={phase}", file, "-o",
                               model, *flags], capture_output=True, text=True,
                              timeout=300)
        if done.returncode:
            require(done.returncode == 1 and "error:" in done.stderr,
                    f"{mistake}: graphc ended with {done.returncode}: "
                    f"{done.stderr[-2000:]}")
            self.found["checks"] += 1
            print(f"{mistake}: {done.stderr.splitlines()[0]}")
            return
        error = distance(self.want, weights(model))
        require(error > 10 * LIMIT, f"{mistake}: not found, the weights differ "
                f"by {error:.3g}")
        self.found["weights"] += 1
        print(f"{mistake}: the weights differ by {error:.3g}")


def every_mistake_is_found():
    planted = Planted()
    planted.without()
    planted.without(RING)
    failures = []
    for mistake, (phase, mutate, *options) in MISTAKES.items():
        try:
            planted.plant(mistake, phase, mutate, *options)
        except (harness.Failure, StopIteration, AttributeError) as failure:
            failures.append(f"{mistake}: {failure!r}")
    require(not failures, "\n".join(failures))
    require(min(planted.found.values()) > 0, "one of the two ways finds none")
    print(f"{len(MISTAKES)} mistakes found: {planted.found}")


if __name__ == "__main__":
    harness.run_checks([every_mistake_is_found])
