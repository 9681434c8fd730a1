// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies seed, step and replica of the step state to three int64.
#include <stdint.h>
void kernel(void *const *buffers, void *scratch, int64_t begin, int64_t end) {
  const uint64_t *state = buffers[0];
  int64_t *out = buffers[1];
  out[0] = (int64_t)state[0];
  out[1] = (int64_t)state[1];
  out[2] = *(const uint32_t *)(state + 2);
}
