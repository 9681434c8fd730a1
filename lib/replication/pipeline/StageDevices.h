// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices of the stages of a pipeline.
#ifndef GRAPHC_LIB_REPLICATION_PIPELINE_STAGEDEVICES_H
#define GRAPHC_LIB_REPLICATION_PIPELINE_STAGEDEVICES_H

#include "dialects/tfir/Tfir.h"
#include "lib/placement/inputs/CostTable.h"
#include "lib/placement/inputs/DeviceSet.h"

namespace graphc {

/// The devices that stages may have, in order, and those that they have.
class StageDevices {
public:
  /// `set` must outlive it.
  StageDevices(const DeviceSet &set, mlir::MLIRContext *context);

  /// Devices of the kind that pipelines use.
  llvm::ArrayRef<size_t> candidates() const { return possible; }
  /// The candidates that a request stands for.
  llvm::SmallVector<size_t> asked(tfir::DeviceAttr request) const;

  /// Gives each of the first stages a candidate, in their order.
  void choose(int64_t stages);
  /// Gives stages those devices, all of them candidates.
  void choose(llvm::ArrayRef<size_t> devices);

  size_t size() const { return chosen.size(); }
  const TargetDevice &operator[](size_t stage) const {
    return set[chosen[stage]];
  }
  /// The stage that has the device of the set.
  std::optional<int64_t> stageOn(size_t device) const;

  /// The device of a stage that runs the op: its host, where the device has no
  /// kernel.
  tfir::DeviceAttr deviceFor(mlir::Operation *op, int64_t stage) const;
  /// The same for a variable: integers are on a CPU.
  tfir::DeviceAttr deviceFor(tfir::VariableOp variable, int64_t stage) const;

private:
  tfir::DeviceAttr nameOf(int64_t stage, bool onHost) const;

  const DeviceSet &set;
  mlir::MLIRContext *context;
  llvm::SmallVector<size_t> possible, chosen;
};

} // namespace graphc

#endif
