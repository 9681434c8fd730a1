// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles functions on tensors to kernels and runs them on host buffers.
#ifndef GRAPHC_TEST_LIB_TARGET_CPU_FUSEDHARNESS_H
#define GRAPHC_TEST_LIB_TARGET_CPU_FUSEDHARNESS_H

#include "lib/target/cpu/CompileCpu.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace graphc {

/// 64-byte aligned host memory, with a guard after its end.
template <typename T> class Host {
public:
  explicit Host(size_t count, T value = T())
      : count(count), values(static_cast<T *>(std::aligned_alloc(
                          64, (count * sizeof(T) + 191) / 64 * 64))) {
    std::fill(data(), data() + count, value);
    std::fill(bytesBehind(), bytesBehind() + 64, 0x5a);
  }
  Host(const Host &other) : Host(other.count) {
    std::copy(other.data(), other.data() + count, data());
  }
  /// Values in [low, high) that follow from `seed`.
  static Host random(size_t count, uint32_t seed, double low = -1,
                     double high = 1) {
    Host host(count);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    for (size_t i = 0; i < count; ++i)
      host[i] = T(uniform(engine));
    return host;
  }

  T *data() { return values.get(); }
  const T *data() const { return values.get(); }
  size_t size() const { return count; }
  T &operator[](size_t i) { return values[i]; }
  T operator[](size_t i) const { return values[i]; }
  std::vector<T> copy() const { return {data(), data() + count}; }
  bool guardIsIntact() {
    return std::all_of(bytesBehind(), bytesBehind() + 64,
                       [](unsigned char c) { return c == 0x5a; });
  }

private:
  unsigned char *bytesBehind() {
    return reinterpret_cast<unsigned char *>(data() + count);
  }
  struct Free {
    void operator()(T *memory) const { std::free(memory); }
  };
  size_t count;
  std::unique_ptr<T[], Free> values;
};

/// Diagnostics of compiling `text`, one message per line.
std::string diagnosticsOf(const std::string &text);

/// The emitted kernels of a module, before they become machine code.
std::string kernelsOf(const std::string &text);

/// The levels that are compiled for and that this machine runs.
std::vector<std::string> runnableLevels();

/// The kernels of one module, compiled for both levels, in memory.
class FusedProgram {
public:
  /// Compiles every function of `text`; aborts with a message on errors.
  explicit FusedProgram(const std::string &text);
  ~FusedProgram();

  int64_t units(const std::string &kernel) const;
  int64_t scratch(const std::string &kernel) const;
  /// Computes the units [begin, end) with scratch memory full of NaN.
  void run(const std::string &level, const std::string &kernel,
           const std::vector<void *> &buffers, int64_t begin,
           int64_t end) const;
  /// All units at once.
  void run(const std::string &level, const std::string &kernel,
           const std::vector<void *> &buffers) const;

  const CpuImage &image(const std::string &level) const;
  double seconds() const { return compileSeconds; }

private:
  struct Kernel {
    size_t index;
    int64_t units, scratch;
  };
  struct Mapping {
    char *base;
    size_t bytes;
  };
  std::map<std::string, Kernel> kernels;
  std::map<std::string, Mapping> mappings;
  llvm::SmallVector<CpuImage> images;
  double compileSeconds = 0;
};

/// Runs the units one by one, the last first.
inline void runSplit(const FusedProgram &program, const std::string &level,
                     const std::string &kernel,
                     const std::vector<void *> &buffers) {
  for (int64_t i = program.units(kernel); i-- > 0;)
    program.run(level, kernel, buffers, i, i + 1);
}

/// True when two buffers have the same bytes.
template <typename T> bool sameBits(const Host<T> &a, const Host<T> &b) {
  return memcmp(a.data(), b.data(), sizeof(T) * a.size()) == 0;
}

} // namespace graphc

#endif // GRAPHC_TEST_LIB_TARGET_CPU_FUSEDHARNESS_H
