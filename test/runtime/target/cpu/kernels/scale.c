// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y[i] = w x[i]; buffers x, w, y of float, w one element; a tile is an element
// of x.
#include <stdint.h>
void kernel(void *const *buffers, void *scratch, int64_t begin, int64_t end) {
  const float *x = buffers[0], *w = buffers[1];
  float *y = buffers[2];
  for (int64_t i = begin; i < end; ++i)
    y[i] = w[0] * x[i];
}
