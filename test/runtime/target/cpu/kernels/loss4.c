// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// loss = mean of (w x[i] - y[i])^2 over four examples; buffers x, y, w, loss of
// float; one tile.
#include <stdint.h>
void kernel(void *const *buffers, void *scratch, int64_t begin, int64_t end) {
  const float *x = buffers[0], *y = buffers[1], *w = buffers[2];
  float *loss = buffers[3];
  float sum = 0.0f;
  for (int i = 0; i < 4; ++i)
    sum += (w[0] * x[i] - y[i]) * (w[0] * x[i] - y[i]);
  loss[0] = sum * 0.25f;
}
