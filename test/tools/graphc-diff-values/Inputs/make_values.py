# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes folders of values that differ in known places.
import os

import numpy as np

x = np.array([[1, 2], [3, 4]], np.float32)
for name, change in (("a", 0), ("b", 1)):
    os.makedirs(name)
    for step in (1, 2):
        y = x.copy()
        if change and step == 2:
            y[1, 0] = np.nextafter(y[1, 0], np.float32(4))
        np.savez(f"{name}/step-{step:06}.npz", **{"z/first": x, "a/second": y,
                                                  "count": np.int64(step)})
    np.save(f"{name}.npy", x + change)
os.makedirs("c")
np.savez("c/step-000001.npz", **{"z/first": x.astype(np.float64)})
