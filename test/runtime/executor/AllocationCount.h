// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what the program takes from the heap.
#ifndef GRAPHC_TEST_RUNTIME_EXECUTOR_ALLOCATIONCOUNT_H
#define GRAPHC_TEST_RUNTIME_EXECUTOR_ALLOCATIONCOUNT_H

#include <cstdint>

namespace graphc::test {

/// Allocations of all threads so far, by malloc and all that stands on it, new
/// among them.
uint64_t allocationCount();

/// Allocations are not counted while this says yes; null: all are.
void ignoreAllocations(int (*isIgnored)());

/// True when allocations are counted: not under a sanitizer, which has a heap
/// of its own.
bool countsAllocations();

} // namespace graphc::test

#endif
