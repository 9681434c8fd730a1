// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/runtime/executor/AllocationCount.h"

#include <atomic>
#include <cerrno>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRAPHC_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRAPHC_HAS_SANITIZER 1
#endif
#endif

namespace {
std::atomic<uint64_t> gCount{0};
std::atomic<int (*)()> gIsIgnored{nullptr};
} // namespace

namespace graphc::test {

uint64_t allocationCount() { return gCount.load(); }

void ignoreAllocations(int (*isIgnored)()) { gIsIgnored = isIgnored; }

#ifdef GRAPHC_HAS_SANITIZER
bool countsAllocations() { return false; }
#else
bool countsAllocations() { return true; }
#endif

} // namespace graphc::test

#ifndef GRAPHC_HAS_SANITIZER
// A program's own malloc comes before the C library's, whose internal names
// still reach its heap.
namespace {
void note() {
  int (*isIgnored)() = gIsIgnored;
  if (!isIgnored || !isIgnored())
    gCount.fetch_add(1, std::memory_order_relaxed);
}
} // namespace

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  note();
  return __libc_realloc(old, size);
}
void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = memalign(alignment, size);
  return *result ? 0 : ENOMEM;
}
}
#endif
