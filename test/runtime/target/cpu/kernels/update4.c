// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One step of gradient descent on the loss of loss4.c with rate 0.02; buffers
// x, y, w of float; one tile.
#include <stdint.h>
void kernel(void *const *buffers, void *scratch, int64_t begin, int64_t end) {
  const float *x = buffers[0], *y = buffers[1];
  float *w = buffers[2];
  float gradient = 0.0f;
  for (int i = 0; i < 4; ++i)
    gradient += (w[0] * x[i] - y[i]) * x[i] * 0.5f;
  w[0] -= 0.02f * gradient;
}
