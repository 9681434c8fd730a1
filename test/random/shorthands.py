# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops of random programs that are short for others. Each method appends one op, and
what it needs."""
from arrange import array
from values import BOOL, F32, FLOATS, I32, I64, INTS, MAX_ELEMENTS, U8, count
from windows import numbers


class ShorthandOps:
    """Of a graph."""

    def shorthand(self):
        getattr(self, "_" + self.p.pick([
            "adaptive_pool", "adjust", "atrous_conv2d", "separable_conv2d",
            "transposed_conv", "transposed_conv", "conv1d", "conv3d", "pool_of_rank",
            "rearranged", "clip", "clip_list", "fourier2d", "batch_moments", "moments", "instance_norm",
            "coordinates", "permutation", "range", "rows_by_place", "sorted_segments",
            "label_loss", "log_poisson_loss", "weighted_logits", "meshgrid", "grayscale",
            "attention", "attention", "einsum", "einsum", "top_k"]))()

    def like(self, x, shape):
        """A value of the element type of x."""
        return self.find(lambda v: v.element == x.element and v.shape == tuple(shape),
                         lambda: self.leaf(tuple(shape), x.element))

    def blocks(self, rank, most=8):
        """Images, sequences or volumes: [batch, ..., channels], none of a size 0."""
        shape = (self.p.pick([1, 2, 3]),
                 *[self.p.pick([1, 2, 3, 5, most]) for _ in range(rank)],
                 self.p.pick([1, 2, 3, 8]))
        return self.find(
            lambda v: v.element in FLOATS and len(v.shape) == rank + 2 and
            0 < count(v.shape) <= 2000,
            lambda: self.leaf(shape, self.p.pick(FLOATS)))

    def channels(self, shape, first, format_of):
        """A shape with channels last as the attribute wants it, and that attribute."""
        if not first:
            return tuple(shape), ""
        return (shape[0], shape[-1], *shape[1:-1]), f', data_format = "{format_of}"'

    # Images.
    def _adaptive_pool(self):
        x = self.images()
        size = [self.p.pick([n for n in range(1, d + 1) if d % n == 0])
                for d in x.shape[1:3]]
        op = self.p.pick(["adaptive_avg_pool", "adaptive_max_pool"])
        self.emit(op, [x], (x.shape[0], *size, x.shape[3]), x.element,
                  f"output_size = {numbers(size)}")

    def _adjust(self):
        if self.p.chance(0.5):
            x = self.value(FLOATS)
            self.emit("adjust_brightness", [x], x.shape, x.element,
                      f"delta = {self.p.pick([0.0, 0.3, -1.5])} : f64")
            return
        x = self.value(FLOATS, least_rank=3)
        if count(x.shape):
            self.emit("adjust_contrast", [x], x.shape, x.element,
                      f"contrast_factor = {self.p.pick([0.0, 0.5, 2.0])} : f64")

    def _grayscale(self):
        element = self.p.pick([*FLOATS, U8])
        x = self.find(
            lambda v: v.element == element and v.shape[-1:] == (3,),
            lambda: self.leaf((self.p.pick([1, 4]), self.p.pick([1, 5]), 3), element))
        self.emit("rgb_to_grayscale", [x], (*x.shape[:-1], 1), element)

    def _rearranged(self):
        """Channels or examples as places."""
        block = [self.p.pick([1, 2, 3]) for _ in range(2)]
        b, h, w, c = (self.p.pick([1, 2, 3]) for _ in range(4))
        element = self.p.pick(FLOATS + INTS)
        if self.p.chance(0.5):
            n = block[0]
            x = self.leaf((b, h, w, c * n * n), element)
            self.emit("depth_to_space", [x], (b, h * n, w * n, c), element,
                      f"block_size = {n} : i64")
            return
        x = self.leaf((b * count(block), h, w, c), element)
        crops = [self.p.pick([0, 0, 1]) for _ in range(4)]
        out = [size * n - before - after for size, n, before, after in
               zip((h, w), block, crops[::2], crops[1::2])]
        if min(out) >= 0:
            self.emit("batch_to_space", [x], (b, *out, c), element,
                      f"block_shape = {array(block)}, crops = {array(crops)}")

    # Convolutions.
    def _windows(self, x, dilated=True, narrow=False):
        """Kernel and text of windows over x, and the sizes of their results; `narrow`:
        padding is less than their extent."""
        rank = len(x.shape) - 2
        kernel = [self.p.pick([1, 2, 3]) for _ in range(rank)]
        strides = [self.p.pick([1, 1, 2, 3]) for _ in range(rank)]
        dilations = [self.p.pick([1, 1, 2]) if dilated else 1 for _ in range(rank)]
        extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        padding = self.padding(x.shape[1:-1], extents, strides,
                               extents if narrow or not dilated else [4] * rank)
        if not padding:
            return None
        return kernel, strides, dilations, *padding

    def _atrous_conv2d(self):
        x = self.images()
        rate, kernel = self.p.pick([1, 2, 3]), [self.p.pick([1, 2, 3]) for _ in range(2)]
        padding = self.padding(x.shape[1:3], [(k - 1) * rate + 1 for k in kernel],
                               [1, 1], [4, 4])
        f = (*kernel, x.shape[3], self.p.pick([1, 2, 5]))
        if padding and count(x.shape[:3]) * count(f) <= 100000:
            self.emit("atrous_conv2d", [x, self.filter_of(f, x.element)],
                      (x.shape[0], *padding[1], f[3]), x.element,
                      f"rate = {rate} : i64, {padding[0]}")

    def _separable_conv2d(self):
        x = self.images()
        windows = self._windows(x)
        if not windows:
            return
        kernel, strides, dilations, padding, out = windows
        deep = x.shape[3] * self.p.pick([1, 1, 2])
        depthwise = (*kernel, x.shape[3], deep // x.shape[3])
        pointwise = (1, 1, deep, self.p.pick([1, 3, 8]))
        if count(x.shape[:3]) * (count(depthwise) + count(pointwise)) > 100000:
            return
        self.emit("separable_conv2d", [x, self.filter_of(depthwise, x.element),
                                       self.filter_of(pointwise, x.element)],
                  (x.shape[0], *out, pointwise[3]), x.element,
                  f"strides = {numbers(strides)}, {padding}, "
                  f"dilations = {numbers(dilations)}")

    def _transposed_conv(self):
        op, rank, order = self.p.pick([
            ("conv2d_transpose", 2, "NCHW"), ("conv2d_transpose", 2, "NCHW"),
            ("conv1d_transpose", 1, "NCW"), ("conv3d_transpose", 3, "NCDHW")])
        made = self.blocks(rank, most=4)  # Of the type of the result.
        windows = self._windows(made, narrow=True)
        if not windows:
            return
        kernel, strides, dilations, padding, out = windows
        groups = self.p.pick([g for g in (1, 1, 2, 8) if made.shape[-1] % g == 0])
        channels, first = groups * self.p.pick([1, 2, 3]), self.p.chance(0.3)
        f = (*kernel, made.shape[-1] // groups, channels)
        if count(made.shape) * count(f) > 100000:
            return
        given, _ = self.channels((made.shape[0], *out, channels), first, order)
        shape, text = self.channels(made.shape, first, order)
        sizes = (-1, *shape[1:]) if self.p.chance(0.3) else shape
        moved = (f"stride = {strides[0]} : i64, dilation = {dilations[0]} : i64"
                 if rank == 1 else f"strides = {numbers(strides)}, "
                 f"dilations = {numbers(dilations)}")
        self.emit(op, [self.like(made, given), self.filter_of(f, made.element)], shape,
                  made.element, f"output_shape = {numbers(sizes)}, {moved}, "
                  f"groups = {groups} : i64, {padding}{text}")

    def _conv1d(self):
        x = self.blocks(1)
        windows = self._windows(x)
        if not windows:
            return
        kernel, (stride,), (dilation,), padding, out = windows
        groups = self.p.pick([g for g in (1, 1, 2, 8) if x.shape[2] % g == 0])
        f = (*kernel, x.shape[2] // groups, groups * self.p.pick([1, 2]))
        self.emit("conv1d", [x, self.filter_of(f, x.element)],
                  (x.shape[0], *out, f[2]), x.element,
                  f"stride = {stride} : i64, dilation = {dilation} : i64, "
                  f"groups = {groups} : i64, {padding}")

    def _conv3d(self):
        x = self.blocks(3, most=4)
        windows = self._windows(x)
        if not windows:
            return
        kernel, strides, dilations, padding, out = windows
        groups = self.p.pick([g for g in (1, 1, 2, 8) if x.shape[4] % g == 0])
        f = (*kernel, x.shape[4] // groups, groups * self.p.pick([1, 2, 3]))
        if count(x.shape[:4]) * count(f) <= 50000:
            self.emit("conv3d", [x, self.filter_of(f, x.element)],
                      (x.shape[0], *out, f[4]), x.element,
                      f"strides = {numbers(strides)}, {padding}, "
                      f"dilations = {numbers(dilations)}, groups = {groups} : i64")

    def _pool_of_rank(self):
        op = self.p.pick(["max_pool1d", "avg_pool1d", "lp_pool1d", "max_pool3d",
                          "avg_pool3d", "lp_pool3d"])
        x = self.blocks(1 if "1d" in op else 3, most=4)
        windows = self._windows(x, dilated=False)
        if windows:
            kernel, strides, _, padding, out = windows
            self.emit(op, [x], (x.shape[0], *out, x.shape[-1]), x.element,
                      f"ksize = {numbers(kernel)}, strides = {numbers(strides)}, "
                      f"{padding}")

    # Norms.
    def _clip(self):
        x = self.value(FLOATS)
        if count(x.shape) == 0:
            return
        axes = [a for a in self.axes_of(x)[0] if a != "keep_dims"]
        self.emit("clip_by_norm", [x, self.like(x, ())], x.shape, x.element,
                  ", ".join(axes))

    def _clip_list(self):
        x = self.value(FLOATS)
        same = [v for v in self.values if v.element == x.element and count(v.shape)]
        if not same:
            return
        parts = [self.p.pick(same) for _ in range(self.p.pick([1, 2, 3]))]
        if self.p.chance(0.5):
            self.emit("global_norm", parts, (), x.element)
            return
        most = self.like(x, ())
        self.emit_results("clip_by_global_norm", parts + [most],
                          [(v.shape, v.element, parts + [most]) for v in parts])

    def _moments(self):
        x = self.value(FLOATS)
        if count(x.shape) == 0:
            return
        attributes, shape = self.axes_of(x)
        self.emit_results("moments", [x], [(shape, x.element, [x])] * 2,
                          ", ".join(attributes))

    def _batch_moments(self):
        x = self.value(FLOATS, least_rank=2)
        if count(x.shape) == 0:
            return
        channels = x.shape[-1:]
        scale, offset = self.like(x, channels), self.like(x, channels)
        self.emit_results("fused_batch_norm", [x, scale, offset],
                          [(x.shape, x.element, [x, scale, offset]),
                           (channels, x.element, [x]), (channels, x.element, [x])],
                          "epsilon = 0.125 : f64")

    def _instance_norm(self):
        x = self.value(FLOATS, least_rank=3)
        if count(x.shape):
            operands = [x, *(self.like(x, x.shape[-1:]) for _ in range(2))]
            self.emit("instance_norm", operands, x.shape, x.element,
                      "epsilon = 0.125 : f64")

    # Losses.
    def _label_loss(self):
        op = self.p.pick(["log_loss", "poisson_loss", "kl_divergence",
                          "cosine_distance"])
        raw = self.value(FLOATS, least_rank=1)
        if count(raw.shape) == 0:
            return
        x = self.emit("sigmoid", [raw], raw.shape, raw.element)
        y = self.emit("sigmoid", [self.like(x, x.shape)], x.shape, x.element)
        reduction = self.p.pick(["none", "sum", "mean", "sum_by_nonzero_weights"])
        shape = {"kl_divergence": x.shape[:-1],
                 "cosine_distance": (*x.shape[:-1], 1)}.get(op, x.shape)
        self.emit(op, [y, x], shape if reduction == "none" else (), x.element,
                  f'reduction = "{reduction}"')

    def _log_poisson_loss(self):
        x = self.value(FLOATS)
        # Whole counts, none close to 1, from where on the full loss has more terms.
        counts = self.emit("floor", [self.like(x, x.shape)], x.shape, x.element,
                           passes=[])
        rate = self.emit("tanh", [x], x.shape, x.element)
        self.emit("log_poisson_loss", [counts, rate], x.shape, x.element,
                  self.p.pick(["", "compute_full_loss"]))

    def _weighted_logits(self):
        x = self.value(FLOATS)
        operands = [x, self.like(x, x.shape), self.within(x)]
        self.emit("weighted_cross_entropy_with_logits", operands, x.shape, x.element)

    # Products.
    def _einsum(self):
        sizes = {letter: self.p.pick([1, 2, 3, 5, 8]) for letter in "bijkl"}
        equation = self.p.pick([
            "ij->ji", "ij->i", "bij->", "ij,jk->ik", "bij,bjk->bik", "bij,jk->bik",
            "i,j->ij", "bij,bij->b", "bijk,bljk->bil", "ij,kj->ki", "bi,bj->bij",
            "ij,ij->ij", "bij,j->bi", "bil,bjk->bijk", "ij,kl->"])
        given, made = equation.split("->")
        shapes = [tuple(sizes[letter] for letter in part) for part in given.split(",")]
        x = self.leaf(shapes[0], self.p.pick(FLOATS))
        operands = [x, *(self.like(x, shape) for shape in shapes[1:])]
        self.emit("einsum", operands, [sizes[letter] for letter in made], x.element,
                  f'equation = "{equation}"')

    def _attention(self):
        queries, keys, depth, width = (self.p.pick([1, 2, 3, 7]) for _ in range(4))
        batch = self.p.pick([(), (1,), (2,), (2, 3)])
        q = self.leaf(batch + (queries, depth), self.p.pick(FLOATS))
        others = batch[self.p.pick([0, 0, len(batch)]):]
        operands = [q, self.like(q, others + (keys, depth)),
                    self.like(q, others + (keys, width))]
        passes, words = list(operands), []
        if self.p.chance(0.4):
            shape = self.p.pick([(queries, keys), (keys,), (1, keys),
                                 batch + (queries, keys)])
            element = self.p.pick([BOOL, q.element])
            operands.append(self.leaf(shape, element))
            passes += operands[3:] if element != BOOL else []
        if self.p.chance(0.3):
            words.append("causal")
        if self.p.chance(0.3):
            words.append(f"scale = {self.p.pick([0.25, 1.0])} : f64")
        self.emit("scaled_dot_product_attention", operands, batch + (queries, width),
                  q.element, ", ".join(words), passes=passes)

    # Places.
    def _coordinates(self):
        params = self.value(FLOATS + INTS, least_rank=1)
        depth = self.p.rng.randint(1, len(params.shape))
        at = self.leaf((*self.p.pick([(), (3,), (2, 4)]), depth), self.p.pick([I32, I64]))
        shape = at.shape[:-1] + params.shape[depth:]
        if count(shape) <= MAX_ELEMENTS:
            self.emit("gather_nd", [params, at], shape, params.element, passes=[params])

    def _rows_by_place(self):
        shape = [self.p.pick([1, 2, 5, 9]) for _ in range(self.p.pick([1, 2, 3]))]
        depth = self.p.rng.randint(1, len(shape))
        at = self.leaf((*self.p.pick([(1,), (6,), (2, 3)]), depth),
                       self.p.pick([I32, I64]))
        updates = self.leaf((*at.shape[:-1], *shape[depth:]), self.p.pick(FLOATS + INTS))
        self.emit("scatter_nd", [at, updates], shape, updates.element,
                  f"shape = {array(shape)}", passes=[updates])

    def _sorted_segments(self):
        x = self.value(FLOATS, least_rank=1)
        segments = self.p.pick([1, 2, 5])
        rows = x.shape[0]
        ids = sorted(self.p.rng.randrange(segments) for _ in range(rows))
        # The largest element of no slices overflows in what follows.
        op = self.p.pick(["segment_sum", "segment_mean"] +
                         ["segment_max"] * (set(ids) == set(range(segments))))
        at = self.leaf_const((rows,), self.p.pick([I32, I64]), str(ids))
        self.emit(op, [x, at], (segments, *x.shape[1:]), x.element,
                  f"num_segments = {segments} : i64", passes=[x])

    def _permutation(self):
        size = self.p.pick([1, 2, 5, 17])
        places = list(range(size))
        self.p.rng.shuffle(places)
        x = self.leaf_const((size,), self.p.pick([I32, I64]), str(places))
        if self.p.chance(0.5):  # No constant any more.
            x = self.emit("reverse", [x], x.shape, x.element, "axis = array<i64: 0>")
        self.emit("invert_permutation", [x], x.shape, x.element)

    def _range(self):
        element = self.p.pick([F32, I32, I64])
        start, delta = self.p.pick([0, 1, -3]), self.p.pick([1, 2, -1])
        length = self.p.pick([0, 1, 4, 11])
        ends = [start, start + length * delta, delta]
        if start == 0 and delta == 1:
            ends = self.p.pick([ends, ends[:2], ends[1:2]])
        point = ".0" if element == F32 else ""
        operands = [self.leaf_const((), element, f"{end}{point}") for end in ends]
        self.emit("range", operands, (length,), element, passes=[])

    def _meshgrid(self):
        x = self.value(FLOATS + INTS + (BOOL,), rank=self.p.pick([0, 1]))
        same = [v for v in self.values if v.element == x.element and len(v.shape) < 2]
        operands = [x] + [self.p.pick(same) for _ in range(self.p.pick([0, 1, 2]))]
        shape = [count(v.shape) for v in operands]
        indexing = self.p.pick(["xy", "ij"])
        if indexing == "xy":
            shape[:2] = shape[1::-1]
        if count(shape) <= MAX_ELEMENTS:
            self.emit_results("meshgrid", operands,
                              [(shape, v.element, [v]) for v in operands],
                              f'indexing = "{indexing}"')

    def _top_k(self):
        x = self.value(FLOATS[:1] + INTS, least_rank=1)
        if x.shape[-1] == 0:
            return
        k = self.p.rng.randint(1, min(x.shape[-1], 9))
        shape = (*x.shape[:-1], k)
        self.emit_results("top_k", [x], [(shape, x.element, [x]), (shape, I32, [])],
                          f"k = {k} : i64")

    def _fourier2d(self):
        shape = (*self.p.pick([(), (2,)]), self.p.pick([1, 2, 3, 6]),
                 self.p.pick([1, 4, 5]), 2)
        x = self.leaf(shape, self.p.pick(FLOATS))
        self.emit(self.p.pick(["fft2d", "ifft2d"]), [x], shape, x.element)
