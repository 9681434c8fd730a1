// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds to each graph with partitions on accelerators a variant for the host:
//
//   tfir.graph @"train/GPU:0" ... {partition_of = "train"}
//     -> the same, which is lowered for the GPU, and
//        tfir.graph @"train#host/GPU:0" ... {on_host, partition_of =
//        "train#host"}
//
// The variant has the same partitions, edges, feeds and fetches; its kernels
// are code for the CPU. A session takes it where there is no accelerator
// (--virtual-gpus). With the option `only`, where no code for accelerators is
// wanted, the graphs themselves are lowered for the host.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/target/Target.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_ADDHOSTVARIANTSPASS
#include "graphc/Passes.h.inc"

namespace {

/// The partitions of one graph, by its name.
using Graphs = llvm::MapVector<StringAttr, SmallVector<GraphOp>>;

struct AddHostVariantsPass
    : impl::AddHostVariantsPassBase<AddHostVariantsPass> {
  using Base::Base;

  void runOnOperation() override {
    Graphs graphs;
    for (auto partition : getOperation().getOps<GraphOp>())
      graphs[partition.getWholeNameAttr()].push_back(partition);
    llvm::DenseSet<StringAttr> varied;
    for (auto &[name, partitions] : graphs)
      if (llvm::any_of(partitions, [&](GraphOp partition) {
            return &targetOf(partition) != &hostTarget(getOperation());
          }))
        varied.insert(name);
    for (auto &[name, partitions] : graphs)
      if (varied.contains(name))
        addVariant(name, partitions, varied);
  }

private:
  void addVariant(StringAttr name, ArrayRef<GraphOp> partitions,
                  const llvm::DenseSet<StringAttr> &varied);
  StringAttr variantOf(StringRef name) {
    return StringAttr::get(&getContext(), (name + exec::kHostMark).str());
  }
};

void AddHostVariantsPass::addVariant(StringAttr name,
                                     ArrayRef<GraphOp> partitions,
                                     const llvm::DenseSet<StringAttr> &varied) {
  if (only) {
    for (GraphOp partition : partitions)
      partition.setOnHost(true);
    return;
  }
  OpBuilder b(&getContext());
  b.setInsertionPointAfter(partitions.back());
  for (GraphOp partition : partitions) {
    auto copy = cast<GraphOp>(b.clone(*partition));
    copy.setOnHost(true);
    // "train/GPU:0" -> "train#host/GPU:0"
    StringRef symbol = copy.getSymName();
    StringRef rest = symbol;
    rest.consume_front(name.getValue());
    copy.setSymName((name.getValue() + exec::kHostMark + rest).str());
    if (copy.getPartitionOf())
      copy.setPartitionOfAttr(variantOf(name.getValue()));
    InstanceAttr instance = copy.getInstanceAttr();
    StringAttr apply = instance ? instance.getApply() : StringAttr();
    if (!apply || !varied.contains(apply))
      continue;
    copy.setInstanceAttr(instance.withApply(variantOf(apply.getValue())));
  }
}

} // namespace
} // namespace graphc
