# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pools of all kinds in random programs."""
from values import count


def numbers(values):
    return f"array<i64: {', '.join(map(str, values))}>"


class WindowOps:
    """Needs `images`, `find`, `leaf` and `emit` of ArrayOps."""

    def padding(self, sizes, extents, strides, narrow):
        """Text of the padding of windows, and the sizes of their results; None
        where they do not fit. `narrow`: less padding than the window."""
        kind = self.p.pick(["SAME", "VALID", "EXPLICIT"])
        if kind == "SAME":
            return 'padding = "SAME"', [-(-n // s) for n, s in
                                        zip(sizes, strides)]
        pads = [0] * (2 * len(sizes))
        text = 'padding = "VALID"'
        if kind == "EXPLICIT":
            pads = [min(self.p.pick([0, 0, 1, 2]), narrow[i // 2] - 1)
                    for i in range(len(pads))]
            text = f'padding = "EXPLICIT", explicit_paddings = {numbers(pads)}'
        out = [(n + pads[2 * i] + pads[2 * i + 1] - e) // s + 1
               for i, (n, e, s) in enumerate(zip(sizes, extents, strides))]
        return (text, out) if min(out) >= 1 else None

    def filter_of(self, shape, element):
        return self.find(lambda v: v.element == element and v.shape == shape,
                         lambda: self.leaf(shape, element))

    def windowed_conv(self):
        """conv2d and depthwise_conv2d with all their attributes."""
        x = self.images()
        channels = x.shape[3]
        kernel = [self.p.pick([1, 2, 3]) for _ in range(2)]
        strides = [self.p.pick([1, 1, 2, 3]) for _ in range(2)]
        dilations = [self.p.pick([1, 1, 1, 2, 3]) for _ in range(2)]
        extents = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        padding = self.padding(x.shape[1:3], extents, strides, [4, 4])
        if not padding:
            return
        text = (f"strides = {numbers(strides)}, {padding[0]}, "
                f"dilations = {numbers(dilations)}")
        if self.p.chance(0.5):
            each = self.p.pick([1, 1, 2, 3])
            f = (*kernel, channels, each)
            op, out = "depthwise_conv2d", channels * each
        else:
            groups = self.p.pick([g for g in (1, 1, 2, 4, 8, channels)
                                  if channels % g == 0])
            out = groups * self.p.pick([1, 2, 3])
            f = (*kernel, channels // groups, out)
            op, text = "conv2d", f"{text}, groups = {groups}"
        if count(x.shape[:3]) * count(f) > 200000:
            return
        self.emit(op, [x, self.filter_of(f, x.element)], (x.shape[0], *padding[1], out),
                  x.element, text)

    def windowed_pool(self):
        """Pools with explicit padding, norms, and pools of whole images."""
        x = self.images()
        if self.p.chance(0.3):
            self.emit(self.p.pick(["global_avg_pool", "global_max_pool"]), [x],
                      (x.shape[0], x.shape[3]), x.element)
            return
        k = [self.p.pick([1, 2, 3]) for _ in range(2)]
        strides = [self.p.pick([1, 2, 3]) for _ in range(2)]
        padding = self.padding(x.shape[1:3], k, strides, k)
        if not padding:
            return
        self.emit(self.p.pick(["max_pool", "avg_pool", "lp_pool"]), [x],
                  (x.shape[0], *padding[1], x.shape[3]), x.element,
                  f"ksize = {numbers(k)}, strides = {numbers(strides)}, "
                  f"{padding[0]}")
