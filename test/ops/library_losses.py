# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of the library against NumPy: CTC by all alignments and by differences,
sampled softmax and noise-contrastive estimation with the candidates that were drawn.

  library_losses.py FOLDER
"""
import functools
import itertools

import numpy as np

import harness
from harness import Model, require

BATCH, TIME, CLASSES, WORDS = 7, 6, 4, 50


@functools.cache
def model():
    return Model.of_input("library-losses.tfir")


def near(got, want, limit, what):
    require(got.shape == want.shape, f"{what} has the shape {got.shape}")
    require(np.array_equal(np.isfinite(got), np.isfinite(want)), f"{what}: {got}")
    finite = np.isfinite(want)
    error = np.max(np.abs(got[finite] - want[finite]), initial=0)
    require(error <= limit, f"{what} differs by {error:.3g}")


def collapsed(path, blank):
    """Labels of an alignment: equal neighbours are one, blanks are none."""
    return [c for i, c in enumerate(path)
            if c != blank and (i == 0 or path[i - 1] != c)]


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def by_all_alignments(labels, logits, blank):
    """The loss of one example, from the definition."""
    scores, total = log_softmax(logits), 0.0
    for path in itertools.product(range(logits.shape[1]), repeat=len(logits)):
        if collapsed(path, blank) == list(labels):
            total += np.exp(sum(scores[t, c] for t, c in enumerate(path)))
    return -np.log(total) if total else np.inf


def ctc_examples(blank=0):
    random = np.random.default_rng(5)
    first = 1 if blank == 0 else 0
    labels = random.integers(first, first + CLASSES - 1, (BATCH, 3))
    labels[0], labels[1] = [first] * 3, [first, first + 1, first]
    labels[4] = [first, first + 1, first + 2]
    # Of equal labels that follow each other four steps are too few; without any there
    # are blanks alone; behind the labels stands what counts for nothing.
    label_length = np.array([3, 3, 2, 0, 3, 1, 3])
    logit_length = np.array([4, 6, 5, 3, 3, 1, 6])
    labels[5, 1:] = -1
    logits = random.normal(size=(TIME, BATCH, CLASSES)).astype(np.float32)
    logits[:, 6] = 0  # equal ones everywhere
    return {"labels": labels, "logits": logits, "label_length": label_length,
            "logit_length": logit_length}


def ctc_reference(data, blank):
    return np.array([by_all_alignments(
        data["labels"][b, :data["label_length"][b]],
        data["logits"][:data["logit_length"][b], b].astype(float), blank)
        for b in range(BATCH)])


def alignments():
    data = ctc_examples()
    want = ctc_reference(data, 0)
    require(np.isinf(want[0]) and np.isfinite(want[1:]).all(), f"the reference: {want}")
    feeds = {n: v if v.dtype == np.float32 else v.astype(np.int32) for n, v in data.items()}
    scale = np.linspace(0.5, 2, BATCH).astype(np.float32)
    got = model().run("align", feeds | {"scale": scale})
    near(got["loss"], want, 2e-6, "the loss")
    slopes = np.zeros(data["logits"].shape)
    data["logits"] = data["logits"].astype(float)
    for place in np.ndindex(TIME, 1, CLASSES):
        t, _, c = place
        values = []
        for step in (1e-5, -1e-5):
            data["logits"][t, :, c] += step
            values.append(ctc_reference(data, 0))
            data["logits"][t, :, c] -= step
        with np.errstate(invalid="ignore"):
            slope = (values[0] - values[1]) / 2e-5
        slopes[t, :, c] = np.where(np.isfinite(want), slope, 0)
    near(got["slopes"], slopes * scale[:, None], 1e-5, "the gradient")
    require(np.abs(got["slopes"]).max() > 0.1, "the gradient is nothing")


def another_blank():
    data = ctc_examples(CLASSES - 1)
    want = ctc_reference(data, CLASSES - 1)
    feeds = {n: v if v.dtype == np.float32 else v.astype(np.int64) for n, v in data.items()}
    near(model().run("align_last", feeds)["loss"], want, 2e-6, "the loss")


def sampling_feeds():
    random = np.random.default_rng(8)
    # Frequent classes, so that candidates hit labels.
    return {"labels": random.integers(0, 6, (BATCH, 2)).astype(np.int32),
            "inputs": random.normal(size=(BATCH, 5)).astype(np.float32)}


def sampled_logits(values, inputs, labels, sampled):
    def expected(classes):
        return np.log(np.log((classes + 2) / (classes + 1)) / np.log(WORDS + 1) * len(sampled))
    right = np.einsum("bkd,bd->bk", values["table"][labels], inputs) + values["bias"][labels]
    others = inputs @ values["table"][sampled].T + values["bias"][sampled]
    return right - expected(labels), others - expected(sampled)


def sampled_softmax(values, inputs, labels, sampled, without_hits=True):
    right, others = sampled_logits(values, inputs, labels, sampled)
    hits = (labels[:, :, None] == sampled).any(1)
    if without_hits:
        require(hits.any(), "no candidate is a label")
        others = np.where(hits, -np.inf, others)
    logits = np.concatenate([right, others], 1)
    return -log_softmax(logits)[:, :2].mean(1)


def contrastive(values, inputs, labels, sampled):
    right, others = sampled_logits(values, inputs, labels, sampled)
    return np.log1p(np.exp(-right)).sum(1) + np.log1p(np.exp(others)).sum(1)


def compare_sampled(name, reference):
    feeds = sampling_feeds()
    values = {n: v.astype(float) for n, v in model().variables(name, feeds).items()
              if n in ("table", "bias")}
    got = model().run(name, feeds)
    arguments = values | {"inputs": feeds["inputs"].astype(float)}

    def loss():
        return reference({n: arguments[n] for n in ("table", "bias")}, arguments["inputs"],
                         feeds["labels"], got["sampled"])
    near(got["loss"], loss(), 5e-6, f"the loss of {name}")
    for argument, fetch in (("inputs", "slopes"), ("table", "d_table"), ("bias", "d_bias")):
        value, slopes = arguments[argument], np.zeros(arguments[argument].shape)
        for place in np.ndindex(value.shape):
            before = value[place]
            value[place] = before + 1e-5
            above = loss().sum()
            value[place] = before - 1e-5
            slopes[place] = (above - loss().sum()) / 2e-5
            value[place] = before
        near(got[fetch], slopes, 2e-5, f"the gradient of {name} by {argument}")


def candidates():
    compare_sampled("sample", sampled_softmax)
    compare_sampled("contrast", contrastive)
    feeds = sampling_feeds()
    values = {n: v.astype(float) for n, v in model().variables("keep_hits", feeds).items()}
    got = model().run("keep_hits", feeds)
    want = sampled_softmax(values, feeds["inputs"].astype(float), feeds["labels"],
                           got["sampled"], without_hits=False)
    near(got["loss"], want, 5e-6, "the loss with hits")


def drawn():
    """The shares of classes are those of the distribution, within five deviations."""
    ids = model().run("draw")["ids"]
    require(ids.min() == 0 and ids.max() == WORDS - 1, f"from {ids.min()} to {ids.max()}")
    k = np.arange(WORDS)
    want = np.log((k + 2) / (k + 1)) / np.log(WORDS + 1)
    got = np.bincount(ids, minlength=WORDS) / ids.size
    limit = 5 * np.sqrt(want * (1 - want) / ids.size)
    require((abs(got - want) <= limit).all(), f"shares {got}")


if __name__ == "__main__":
    harness.run_checks([alignments, another_blank, candidates, drawn])
