// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clamp VALUE LOW HIGH EXPECTED: fails when another number comes out.
#include <cstdlib>

int clamp(int value, int low, int high);
extern int calls;

int main(int, char **arguments) {
  int got = clamp(std::atoi(arguments[1]), std::atoi(arguments[2]),
                  std::atoi(arguments[3]));
  return got != std::atoi(arguments[4]) || calls != 1;
}
