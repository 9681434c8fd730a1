// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y[i] = 2 x[i]; buffers x, y of float; a tile is an element.
#include <stdint.h>
void kernel(void *const *buffers, void *scratch, int64_t begin, int64_t end) {
  const float *x = buffers[0];
  float *y = buffers[1];
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] * 2.0f;
}
