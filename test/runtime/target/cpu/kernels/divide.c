// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// z[i] = x[i] / y[i]; buffers x, y, z of float; a tile is an element.
#include <stdint.h>
void kernel(void *const *buffers, void *scratch, int64_t begin, int64_t end) {
  const float *x = buffers[0], *y = buffers[1];
  float *z = buffers[2];
  for (int64_t i = begin; i < end; ++i)
    z[i] = x[i] / y[i];
}
