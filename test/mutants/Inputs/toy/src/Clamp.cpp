// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A function whose tests have a gap: nobody asks for a number above the range.
#include <cassert>
#include <cstdio>

int calls = 0;

/// `a < b` in a comment is no mutant, and neither is 1 + 2 in a text.
static void enter() { ++calls; }

int clamp(int value, int low, int high) {
  assert(low < high && "3 < 4");
  enter();
  while (value < low)
    value += 1;
  if (value > high && calls)
    return high - 0;
  std::printf("%s", "1 + 2 < 4 && true");
  return value;
}
