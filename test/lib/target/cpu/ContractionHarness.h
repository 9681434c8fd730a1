// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles one emitted kernel with the production pipeline and runs it on host
// buffers.
#ifndef GRAPHC_TEST_LIB_TARGET_CPU_CONTRACTIONHARNESS_H
#define GRAPHC_TEST_LIB_TARGET_CPU_CONTRACTIONHARNESS_H

#include "lib/target/cpu/contraction/Contraction.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace graphc {

/// The CPU levels that kernels are compiled for and this machine runs.
std::vector<std::string> testedLevels();

/// The register tile for one of them.
RegisterTile tileOf(const std::string &level);

/// 64-byte aligned host memory for `count` floats, with a guard after its end.
class HostBuffer {
public:
  /// Values in [-0.5, 0.5) that follow from `seed`; all NaN for seed 0.
  explicit HostBuffer(size_t count, uint32_t seed = 0);

  float *data() { return values.get(); }
  size_t size() const { return count; }
  float operator[](size_t i) const { return values[i]; }
  std::vector<float> copy() const {
    return {values.get(), values.get() + count};
  }
  /// False if something wrote after the end.
  bool isIntact() const;

private:
  struct Free {
    void operator()(float *memory) const;
  };
  size_t count;
  std::unique_ptr<float[], Free> values;
};

/// |actual - expected| / |expected| in the Euclidean norm; infinite if an
/// element of `actual` is not a number.
double normwiseError(const std::vector<float> &actual,
                     const std::vector<double> &expected);

/// A context with the dialects that kernels are made of.
std::unique_ptr<mlir::MLIRContext> makeKernelContext();

/// The operands of a kernel function while it is emitted.
struct KernelArguments {
  mlir::ValueRange buffers;
  mlir::Value scratch, begin, end;
};

/// A kernel in executable memory; any number of threads may run it.
class JitKernel {
public:
  using Body = std::function<void(mlir::OpBuilder &, const KernelArguments &)>;

  /// Emits a function over `buffers` with `body` and compiles it for `level`.
  /// Aborts with a message if that fails.
  JitKernel(mlir::MLIRContext &context, llvm::ArrayRef<mlir::Type> buffers,
            int64_t scratchBytes, const std::string &level, const Body &body);
  JitKernel(const JitKernel &) = delete;
  ~JitKernel();

  /// Computes the units [begin, end) with scratch full of NaN; aborts if the
  /// kernel writes after it.
  void run(const std::vector<void *> &buffers, int64_t begin,
           int64_t end) const;

  /// The same with the caller's scratch.
  void runWith(const std::vector<void *> &buffers, void *scratch, int64_t begin,
               int64_t end) const;

  size_t codeBytes() const { return bytes; }

private:
  size_t scratchBytes, bytes;
  char *memory;
  uint64_t entry;
};

/// Runs all units in ranges of `step`, the last range first.
void runInSteps(const JitKernel &kernel, const std::vector<void *> &buffers,
                int64_t units, int64_t step);

bool haveSameBits(const std::vector<float> &a, const std::vector<float> &b);

} // namespace graphc

#endif // GRAPHC_TEST_LIB_TARGET_CPU_CONTRACTIONHARNESS_H
