# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions beyond sums, normalisations and losses of random programs."""
from values import BOOL, FLOATS, I32, I64, INTS, count


class AggregateOps:
    """Steps of a graph, mixed into the class of it."""

    def axes_of(self, x):
        """Attributes of axes, and the shape that is left."""
        rank = len(x.shape)
        axes, attributes = list(range(rank)), []
        if rank and self.p.chance(0.7):
            axes = sorted(self.p.rng.sample(axes, self.p.rng.randint(0, rank)))
            texts = [str(a - rank if self.p.chance(0.2) else a) for a in axes]
            attributes = ["axes = array<i64" +
                          (": " + ", ".join(texts) if texts else "") + ">"]
        keep = self.p.chance(0.3)
        if keep:
            attributes.append("keep_dims")
        return attributes, [1 if i in axes else d for i, d in enumerate(x.shape)
                            if keep or i not in axes]

    def aggregate(self):
        op = self.p.pick(["variance", "std", "logsumexp", "norm", "norm", "prod",
                          "any", "all", "count_nonzero"])
        elements = {"any": [BOOL], "all": [BOOL], "logsumexp": FLOATS,
                    "count_nonzero": [*FLOATS, *INTS, BOOL]}.get(op, FLOATS)
        if op == "prod" and self.p.chance(0.3):
            elements = INTS
        x = self.value(elements)
        if count(x.shape) == 0:
            return
        attributes, shape = self.axes_of(x)
        if op == "norm" and self.p.chance(0.6):
            attributes.append("ord = " + self.p.pick(
                ["1.0", "0x7FF0000000000000"]) + " : f64")
        element = {"any": BOOL, "all": BOOL, "count_nonzero": I64}.get(
            op, x.element)
        self.emit(op, [x], shape, element, ", ".join(attributes),
                  passes=None if element == x.element != BOOL else [])

    def along(self):
        op = self.p.pick(["cumsum", "cumsum", "cumprod", "softmax_along",
                          "log_softmax_along", "arg_min"])
        x = self.value(FLOATS if "softmax" in op else [*FLOATS, *INTS],
                       least_rank=1)
        axis = self.p.rng.randrange(len(x.shape))
        if x.shape[axis] == 0:
            return
        attributes, shape, element = [f"axis = {axis} : i64"], x.shape, x.element
        if op.startswith("cum"):
            attributes += [a for a in ("exclusive", "reverse")
                           if self.p.chance(0.4)]
        if op == "arg_min":
            shape, element = shape[:axis] + shape[axis + 1:], I64
        self.emit(op, [x], shape, element, ", ".join(attributes),
                  passes=[] if op == "arg_min" else None)

    def normalise(self):
        op = self.p.pick(["layer_norm", "rms_norm", "group_norm",
                          "batch_normalization", "l2_normalize", "lrn"])
        x = self.value(FLOATS, least_rank=2)
        channels = x.shape[-1]
        if count(x.shape) == 0:
            return
        scale, offset = (self.leaf((channels,), x.element) for _ in range(2))
        epsilon = "epsilon = 0.125 : f64"
        operands = {"rms_norm": [scale], "l2_normalize": [], "lrn": [],
                    "batch_normalization": [offset, None, offset, scale]}.get(
                        op, [scale, offset])
        attributes = {"batch_normalization": "", "lrn": "depth_radius = 2 : i64",
                      "group_norm": epsilon + ", groups = 1 : i64"}.get(op, epsilon)
        if op == "batch_normalization":
            operands[1] = self.emit("square", [scale], (channels,), x.element)
        self.emit(op, [x, *operands], x.shape, x.element, attributes)

    def loss(self):
        op = self.p.pick(["absolute_difference", "mean_squared_error",
                          "huber_loss", "smooth_l1_loss", "hinge_loss",
                          "squared_hinge_loss", "sigmoid_cross_entropy_with_logits",
                          "compute_weighted_loss"])
        x = self.value(FLOATS)
        if count(x.shape) == 0:
            return
        y = self.find(lambda v: v.element == x.element and v.shape == x.shape,
                      lambda: self.leaf(x.shape, x.element))
        if op.endswith("logits"):
            self.emit(op, [x, y], x.shape, x.element)
            return
        kind = self.p.pick(["none", "sum", "sum_over_batch_size", "mean",
                            "sum_by_nonzero_weights"])
        operands = [x, y]
        if op != "compute_weighted_loss" and self.p.chance(0.3):
            operands.append(self.leaf(x.shape[:0], x.element))
        self.emit(op, operands, x.shape if kind == "none" else (), x.element,
                  f'reduction = "{kind}"')

    def metric(self):
        if self.p.chance(0.5):
            x = self.value([I32])
            size = self.p.pick([1, 3, 10])
            self.emit("bincount", [x], (size,), I32, f"size = {size} : i64",
                      passes=[])
            return
        x = self.value(FLOATS, rank=2)
        if x.shape[1] == 0:
            return
        targets = self.leaf(x.shape[:1], self.p.pick([I32, I64]))
        self.emit("in_top_k", [x, targets], x.shape[:1], BOOL,
                  f"k = {self.p.pick([1, 2, 5])} : i64", passes=[])
