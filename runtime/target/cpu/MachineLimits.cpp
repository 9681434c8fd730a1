// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cpu/MachineLimits.h"

#include "runtime/base/Clock.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <immintrin.h>
#include <memory>
#include <thread>
#include <vector>

namespace graphc::runtime {

namespace {

/// Chains of dependent operations that hide the latency of a multiplication
/// with addition: 4 or 5 cycles of 2 units.
constexpr int kChains = 12;
constexpr int64_t kMultiplications = 100'000; // of each chain in a round
constexpr int kRounds = 5;
constexpr size_t kBytes = 96 << 20; // of the three arrays, beyond most caches

__attribute__((target("avx2,fma"))) float multiplyV3(int64_t count) {
  __m256 sums[kChains];
  for (__m256 &sum : sums)
    sum = _mm256_set1_ps(1);
  __m256 x = _mm256_set1_ps(0.5f), y = _mm256_set1_ps(0.25f);
  for (int64_t i = 0; i < count; ++i)
    for (int chain = 0; chain < kChains; ++chain)
      sums[chain] = _mm256_fmadd_ps(sums[chain], x, y);
  for (int chain = 1; chain < kChains; ++chain)
    sums[0] = _mm256_add_ps(sums[0], sums[chain]);
  return _mm256_cvtss_f32(sums[0]);
}

__attribute__((target("avx512f"))) float multiplyV4(int64_t count) {
  __m512 sums[kChains];
  for (__m512 &sum : sums)
    sum = _mm512_set1_ps(1);
  __m512 x = _mm512_set1_ps(0.5f), y = _mm512_set1_ps(0.25f);
  for (int64_t i = 0; i < count; ++i)
    for (int chain = 0; chain < kChains; ++chain)
      sums[chain] = _mm512_fmadd_ps(sums[chain], x, y);
  for (int chain = 1; chain < kChains; ++chain)
    sums[0] = _mm512_add_ps(sums[0], sums[chain]);
  return _mm512_cvtss_f32(sums[0]);
}

/// Runs `work(thread)` on all threads at once, some times; the least seconds
/// from the start of the first to the end of the last.
template <typename Work> double leastSeconds(int threads, const Work &work) {
  int64_t least = 0, begin = 0;
  // Between two barriers, one thread alone looks at the clock.
  int round = 0;
  auto look = [&]() noexcept {
    int64_t now = nowNanos();
    if (round > 1 && (least == 0 || now - begin < least)) // 0 warms up
      least = now - begin;
    begin = now;
    ++round;
  };
  std::barrier barrier(threads, look);
  auto run = [&](int thread) {
    for (int i = 0; i < kRounds + 1; ++i) {
      barrier.arrive_and_wait();
      work(thread);
    }
    barrier.arrive_and_wait();
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(run, thread);
  run(0);
  for (std::thread &other : others)
    other.join();
  return static_cast<double>(std::max<int64_t>(least, 1)) * 1e-9;
}

double measureFlops(int threads, CpuLevel level) {
  std::atomic<float> sink{0}; // so that nothing is computed in vain
  double seconds = leastSeconds(threads, [&](int) {
    sink = level == CpuLevel::V4 ? multiplyV4(kMultiplications)
                                 : multiplyV3(kMultiplications);
  });
  double lanes = level == CpuLevel::V4 ? 16 : 8;
  return 2 * lanes * kChains * static_cast<double>(kMultiplications) * threads /
         seconds;
}

double measureBytes(int threads) {
  size_t count = kBytes / 3 / sizeof(float);
  auto memory = std::make_unique_for_overwrite<float[]>(3 * count);
  float *a = memory.get(), *b = a + count, *c = b + count;
  std::fill(b, b + 2 * count, 1.0f);
  float scale = 0;
  double seconds = leastSeconds(threads, [&](int thread) {
    size_t first = count * thread / threads;
    size_t last = count * (thread + 1) / threads;
    for (size_t i = first; i < last; ++i)
      a[i] = b[i] + scale * c[i];
  });
  return static_cast<double>(3 * count * sizeof(float)) / seconds;
}

} // namespace

MachineLimits measureLimits(int threads, CpuLevel level) {
  threads = std::max(threads, 1);
  return {measureFlops(threads, level), measureBytes(threads)};
}

} // namespace graphc::runtime
