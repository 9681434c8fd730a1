// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds of device that have a kernel for an op.
#ifndef GRAPHC_LIB_PLACEMENT_OPKERNELS_H
#define GRAPHC_LIB_PLACEMENT_OPKERNELS_H

#include "lib/placement/PlacementProblem.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace graphc {

/// The kinds of device, by name, that have a kernel for the op with its types,
/// as the op knows, or the table for a tfir.custom. A variable is on a GPU only
/// when it is a float, and data are read by CPUs.
std::vector<KernelKind> kernelKinds(mlir::Operation *op,
                                    const KernelTable &table);

/// "CPU, GPU"; "no device" when there is none.
std::string kindsText(const std::vector<KernelKind> &kinds);

/// "f32, i32": the element types of what the op reads and makes, each once.
std::string elementTypesText(mlir::Operation *op);

/// Fills in what nodes can run on. Not thread-safe.
class OpKernels {
public:
  explicit OpKernels(PlacementProblem &problem);

  /// Sets `kernels` and `priorities`. Fails with an error at the op when no
  /// device of the set has a kernel.
  llvm::LogicalResult read(PlacementNode &node);

private:
  struct Entry {
    std::vector<KernelKind> kinds;
    uint32_t mask;
    uint32_t priorities;
  };

  const Entry &entryOf(mlir::Operation *op);
  const Entry &entryFor(std::vector<KernelKind> kinds);

  PlacementProblem &problem;
  /// Few: ops differ little in what they run on.
  std::vector<Entry> entries;
};

} // namespace graphc

#endif
