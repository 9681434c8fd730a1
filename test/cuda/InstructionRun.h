// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instruction, or a few, carried out for columns of operands.
#ifndef GRAPHC_TEST_CUDA_INSTRUCTIONRUN_H
#define GRAPHC_TEST_CUDA_INSTRUCTIONRUN_H

#include "test/cuda/EmulatedGpu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace graphc::test {

/// A kernel that does `instructions` with the operands %a, %b, %c and the
/// result %d, whose sizes are given in bits, once per thread. %p and %q are
/// predicates.
std::string instructionKernel(const std::string &instructions, size_t bitsOfD,
                              size_t bitsOfA, size_t bitsOfB, size_t bitsOfC);

class InstructionRun : public EmulatedGpu {
protected:
  template <typename D, typename A, typename B = A, typename C = A>
  std::vector<D> run(const std::string &instructions, const std::vector<A> &a,
                     const std::vector<B> &b = {},
                     const std::vector<C> &c = {}) {
    auto size = static_cast<unsigned>(a.size());
    CUdeviceptr d = allocate(size * sizeof(D));
    std::vector<CUdeviceptr> buffers = {upload(a), 0, 0, d};
    buffers[1] = b.empty() ? upload(std::vector<B>(size)) : upload(b);
    buffers[2] = c.empty() ? upload(std::vector<C>(size)) : upload(c);
    CUfunction function =
        load(instructionKernel(instructions, 8 * sizeof(D), 8 * sizeof(A),
                               8 * sizeof(B), 8 * sizeof(C)),
             "instruction");
    EXPECT_CUDA(launch(function, 1, size, buffers)) << instructions;
    return download<D>(d, size);
  }

  /// Expects what `expected` makes of each column, to the bit; all NaNs are
  /// one.
  template <typename D, typename A, typename B, typename F>
  void expect(const std::string &instructions, const std::vector<A> &a,
              const std::vector<B> &b, F expected) {
    auto result = run<D, A, B>(instructions, a, b);
    for (size_t i = 0; i < a.size(); ++i)
      expectSame<D>(result[i], expected(a[i], b[i]),
                    instructions + " of " + std::to_string(a[i]) + ", " +
                        std::to_string(b[i]));
  }

  template <typename D>
  static void expectSame(D result, D wanted, const std::string &text) {
    if (result != result && wanted != wanted)
      return;
    EXPECT_EQ(std::memcmp(&result, &wanted, sizeof(D)), 0)
        << text << ": " << result << ", not " << wanted;
  }

  /// Numbers of a type: edges, then random ones.
  template <typename T> static std::vector<T> samples(unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<T> values;
    for (double edge : {0.0, 1.0, 2.0, 3.0, 7.0, 31.0, 100.0})
      values.push_back(static_cast<T>(edge));
    if constexpr (std::is_integral_v<T>)
      values.insert(values.end(),
                    {static_cast<T>(-1), std::numeric_limits<T>::max(),
                     std::numeric_limits<T>::min()});
    else
      values.insert(values.end(),
                    {T(-0.0), T(-1.5), std::numeric_limits<T>::infinity(),
                     std::numeric_limits<T>::quiet_NaN(),
                     std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::max()});
    std::shuffle(values.begin(), values.end(), random);
    while (values.size() < 64)
      if constexpr (std::is_integral_v<T>)
        values.push_back(static_cast<T>(random() >> random() % 64));
      else
        values.push_back(std::ldexp(T(static_cast<int64_t>(random())),
                                    -static_cast<int>(random() % 90)));
    return values;
  }
};

} // namespace graphc::test

#endif
