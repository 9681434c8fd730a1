// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y[i] = the sum of 0 .. i, through 4 KiB of scratch; buffer y of float; a tile
// is an element. Wrong as soon as two threads share scratch.
#include <stdint.h>
void kernel(void *const *buffers, void *scratch, int64_t begin, int64_t end) {
  float *y = buffers[0];
  volatile float *mine = scratch;
  for (int64_t i = begin; i < end; ++i) {
    for (int64_t k = 0; k < 1024; ++k)
      mine[k] = k <= i ? (float)k : 0.0f;
    float sum = 0.0f;
    for (int64_t k = 0; k < 1024; ++k)
      sum += mine[k];
    y[i] = sum;
  }
}
