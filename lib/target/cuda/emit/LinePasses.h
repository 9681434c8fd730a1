// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which pass over its line a thread computes what.
#ifndef GRAPHC_LIB_TARGET_CUDA_EMIT_LINEPASSES_H
#define GRAPHC_LIB_TARGET_CUDA_EMIT_LINEPASSES_H

#include "lib/target/common/fused/FlatPlan.h"

namespace graphc {

/// Pass p may use the results of the reductions of the passes before it. So the
/// largest element of a row is found in pass 0, and the sum of the exponentials
/// of what is below it in pass 1. Full-size results are stored in the last
/// pass.
class LinePasses {
public:
  LinePasses(const TensorKernel &kernel, const FlatPlan &plan);

  unsigned count() const { return last + 1; }
  /// The pass of `flat`: a reduction takes part in it, the op of a line is done
  /// before it.
  unsigned passOf(const FlatOp &flat) const;
  /// True if some pass has to see values again that another one has seen.
  bool keepsValues() const { return last > 0; }
  /// The values per element that a thread would keep from pass to pass.
  int64_t keptValues() const { return kept; }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> passes;
  unsigned last = 0;
  int64_t kept = 0;
};

} // namespace graphc

#endif // GRAPHC_LIB_TARGET_CUDA_EMIT_LINEPASSES_H
