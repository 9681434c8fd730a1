# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metrics of the library over several batches, against NumPy over all their examples.

  metrics.py FOLDER
"""
import os
import sys

import numpy as np

import harness
from harness import Model, require

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH, BATCHES, CLASSES = 16, 4, 7


def examples(count=BATCH * BATCHES):
    """Labels that the scores tell about, some of them wrongly; weights of 0 are among
    them, and equal scores and logits."""
    random = np.random.default_rng(11)
    label = random.integers(0, 2, count).astype(np.uint8)
    score = np.clip(0.5 * label + random.random(count) * 0.75 - 0.1, 0, 1)
    score[::7] = np.round(score[::7], 1)
    logits = random.integers(-4, 5, (count, CLASSES)) / 2
    return {"score": score.astype(np.float32), "label": label,
            "guess": (score > 0.6).astype(np.uint8),
            "weight": (random.integers(0, 5, count) / 2).astype(np.float32),
            "logits": logits.astype(np.float32),
            "class": random.integers(0, CLASSES, count).astype(np.int64)}


def area(label, score, weight, count=200, curve="ROC"):
    """As TensorFlow's documentation computes it, in double precision."""
    inner = (np.arange(count - 2) + 1) / (count - 1)
    thresholds = np.concatenate([[-1e-7], inner, [1 + 1e-7]]).astype(np.float32)
    above = score[:, None] > thresholds
    tp = (weight * label) @ above
    fp = (weight * (1 - label)) @ above
    fn, tn = np.sum(weight * label) - tp, np.sum(weight * (1 - label)) - fp
    epsilon = 1e-6
    recall = (tp + epsilon) / (tp + fn + epsilon)
    if curve == "ROC":
        x, y = fp / (fp + tn + epsilon), recall
    else:
        x, y = recall, (tp + epsilon) / (tp + fp + epsilon)
    return np.sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2)


def expected(data):
    """The value of each metric of Inputs/metrics.tfir over examples."""
    one = np.ones(len(data["score"]))
    score, weight = data["score"].astype(float), data["weight"].astype(float)
    label, guess = data["label"].astype(float), data["guess"].astype(float)
    order = np.argsort(-data["logits"], axis=1, kind="stable")[:, :3]

    def ratio(x, y):
        return np.sum(x) / np.sum(y) if np.sum(y) > 0 else 0.0
    tp, fp = np.sum(weight * label * guess), np.sum(weight * (1 - label) * guess)
    fn = np.sum(weight * label * (1 - guess))
    return {
        "overall": ratio(score, one), "weighted": ratio(weight * score, weight),
        "update": ratio(weight * score, weight), "halved": ratio(score, one) / 2,
        "hits": ratio(label == guess, one),
        "weighted_hits": ratio(weight * (label == guess), weight),
        "right": ratio(tp, tp + fp), "found": ratio(tp, tp + fn),
        "area": area(label, data["score"], weight),
        "coarse": area(label, data["score"], one, 11),
        "area_pr": area(label, data["score"], weight, curve="PR"),
        "best": ratio((order == data["class"][:, None]).any(1), one),
        "tp": tp, "fp": fp, "fn": fn,
        "tn": np.sum(weight * (1 - label) * (1 - guess)),
        "mse": ratio(weight * (score - label) ** 2, weight),
        "rmse": np.sqrt(ratio((score - label) ** 2, one)),
        "mae": ratio(weight * abs(score - label), weight),
        # No metric: of the last batch alone.
        "loss": np.mean(score[-BATCH:]) + 0.25}


def text():
    with open(os.path.join(HERE, "Inputs", "metrics.tfir"), encoding="utf-8") as file:
        return file.read()


def compare(got, want, what):
    require(got.keys() == want.keys(), f"{what}: fetches {sorted(got)}")
    for name, value in want.items():
        error = abs(float(got[name]) - value) / max(1, abs(value))
        require(got[name].dtype == np.float32 and error <= 1e-6,
                f"{what}: '{name}' is {got[name]}, not {value}")


class Metrics:
    def __init__(self, folder):
        self.data = examples()
        self.model = Model(folder, text(), [f"--batch={BATCH}"])
        self.file = os.path.join(folder, "held.npz")
        np.savez(self.file, **self.data)

    def after(self, steps, *options):
        return self.model.run("evaluate", options=[
            f"--data=held={self.file}", f"--steps={steps}", *options])

    def first(self, steps, data=None):
        return {name: value[:BATCH * steps] for name, value in (data or self.data).items()}


def over_batches():
    """After each batch, the value of all examples so far."""
    metrics = Metrics(os.path.join(sys.argv[1], "batches"))
    for steps in range(1, BATCHES + 1):
        compare(metrics.after(steps), expected(metrics.first(steps)), f"{steps} batches")


def from_nothing():
    """Without examples of a kind a share is 0, and weights of 0 leave all out."""
    metrics = Metrics(os.path.join(sys.argv[1], "nothing"))
    data = dict(metrics.data)
    data["label"], data["guess"] = data["label"] * 0, data["guess"] * 0
    data["weight"] = data["weight"] * 0
    np.savez(metrics.file, **data)
    want = expected(metrics.first(2, data))
    require(want["right"] == want["found"] == want["weighted"] == 0, "the reference")
    compare(metrics.after(2), want, "nothing")


def kept_nowhere():
    """Sums are no part of a checkpoint."""
    metrics = Metrics(os.path.join(sys.argv[1], "kept"))
    names = metrics.model.variables("evaluate", options=[
        f"--data=held={metrics.file}", "--steps=2"]).keys()
    require(set(names) == {"shift"}, f"saved {sorted(names)}")


if __name__ == "__main__":
    harness.run_checks([over_batches, from_nothing, kept_nowhere])
