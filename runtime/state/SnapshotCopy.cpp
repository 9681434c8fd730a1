// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state/SnapshotCopy.h"

#include "runtime/base/Futex.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <emmintrin.h>
#include <system_error>
#include <thread>

namespace graphc::runtime {

namespace {

/// Small, so that who waits for another's last chunk waits for 0.1 ms.
constexpr size_t kChunk = size_t{1} << 20;

/// Copies past the caches, which are the step's: the copy is read much later.
void copyPast(std::byte *to, const std::byte *from, size_t size) {
  constexpr size_t kPart = sizeof(__m128i);
  size_t done = 0;
  if (reinterpret_cast<uintptr_t>(to) % kPart == 0) {
    for (; done + kPart <= size; done += kPart)
      _mm_stream_si128(
          reinterpret_cast<__m128i *>(to + done),
          _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + done)));
    _mm_sfence(); // before what tells that the chunk is there
  }
  std::memcpy(to + done, from + done, size - done);
}

} // namespace

void SnapshotCopy::add(std::span<const std::byte> from,
                       std::span<std::byte> to) {
  for (size_t at = 0; at < from.size(); at += kChunk)
    chunks.push_back(
        {from.data() + at, to.data() + at, std::min(kChunk, from.size() - at)});
}

void SnapshotCopy::help() {
  auto end = [&] {
    onDone();
    isDone.store(1);
    futexWake(isDone, INT32_MAX);
  };
  for (size_t at; (at = next.fetch_add(1)) < chunks.size();) {
    copyPast(chunks[at].to, chunks[at].from, chunks[at].size);
    if (copied.fetch_add(1) + 1 == chunks.size())
      end();
  }
  // Nothing to copy is done at once, by whoever comes first.
  if (chunks.empty() && copied.fetch_add(1) == 0)
    end();
}

void SnapshotCopy::finish(int threads) {
  std::vector<std::thread> helpers;
  auto most = static_cast<int>(
      std::min<size_t>(chunks.size(), static_cast<size_t>(threads)));
  try {
    for (int i = 1; i < most; ++i)
      helpers.emplace_back([this] { help(); });
  } catch (const std::system_error &) { // fewer do it as well
  }
  help();
  for (std::thread &helper : helpers)
    helper.join();
  while (isDone.load() == 0)
    futexWait(isDone, 0);
}

void SnapshotCopy::finishLater(int64_t nanos) {
  constexpr std::chrono::milliseconds kLook{1};
  auto until =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanos);
  while (next.load(std::memory_order_relaxed) == 0 &&
         std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(kLook);
  finish();
}

} // namespace graphc::runtime
