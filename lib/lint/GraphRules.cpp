// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules about graphs as they were written.
#include "dialects/tfir/Names.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "lib/lint/Lint.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

constexpr int64_t kLarge = int64_t(1) << 20;

int64_t bytesOf(RankedTensorType type) {
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return 0;
  return type.getNumElements() * ((type.getElementTypeBitWidth() + 7) / 8);
}

std::string mebibytes(int64_t bytes) {
  int64_t tenths = bytes * 10 >> 20;
  return std::to_string(tenths / 10) +
         (tenths % 10 ? "." + std::to_string(tenths % 10) : "") + " MiB";
}

std::string nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(kNameAttr);
  return name ? "'" + name.getValue().str() + "'" : "it";
}

/// The variable that the op writes, or "".
StringRef writtenBy(Operation &op) {
  auto access = dyn_cast<VariableAccess>(op);
  return access && access.isUpdate() ? access.getVariables().front().getValue()
                                     : StringRef();
}

/// The variable that the value is read from, if it is as it was read; or "".
StringRef readFrom(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  return read ? read.getVariable() : StringRef();
}

/// The other variable when the op combines variable `average` with one, as
/// `average - v` or `d * average + (1 - d) * v` do.
StringRef combinedWith(Operation *op, StringRef average) {
  if (op->getNumOperands() != 2 || !isa<SubOp, AddOp>(op))
    return "";
  auto source = [&](Value value) {
    auto product = value.getDefiningOp<MulOp>();
    if (!product || !isa<AddOp>(op))
      return readFrom(value);
    StringRef x = readFrom(product.getX());
    return x.empty() ? readFrom(product.getY()) : x;
  };
  StringRef x = source(op->getOperand(0)), y = source(op->getOperand(1));
  if (x.empty() || y.empty() || x == y)
    return "";
  return x == average ? y : y == average ? x : StringRef();
}

/// The variable whose average an assignment to `average` keeps, or "".
StringRef averagedBy(Operation &assign, StringRef average) {
  // The decay and a cast or two stand around the difference.
  constexpr size_t kMaxOps = 16;
  SmallVector<Operation *> work;
  for (Value operand : assign.getOperands())
    if (Operation *op = operand.getDefiningOp())
      work.push_back(op);
  for (size_t i = 0; i < work.size() && i < kMaxOps; ++i) {
    StringRef other = combinedWith(work[i], average);
    if (!other.empty())
      return other;
    if (isa<SubOp, AddOp, MulOp, DivOp, NegOp, CastOp, IdentityOp>(work[i]))
      for (Value operand : work[i]->getOperands())
        if (Operation *op = operand.getDefiningOp())
          work.push_back(op);
  }
  return "";
}

} // namespace

void lintUnusedFeeds(LintContext &context) {
  for (auto graph : context.module.getOps<GraphOp>())
    for (auto [name, argument] :
         llvm::zip(graph.getFeedNames().getAsRange<StringAttr>(),
                   graph.getBlock().getArguments()))
      if (argument.use_empty())
        context.report(argument.getLoc(),
                       "nothing in graph '" + graph.getSymName() +
                           "' uses feed '" + name.getValue() + "'",
                       "remove it, or use it");
}

void lintUnusedVariables(LintContext &context) {
  llvm::StringSet<> used;
  context.module.walk([&](Operation *op) {
    if (auto access = dyn_cast<VariableAccess>(op))
      used.insert(access.getVariables().front().getValue());
  });
  for (auto variable : context.module.getOps<VariableOp>())
    if (!used.contains(variable.getSymName()) &&
        variable.getSymName() != kGlobalStep)
      context.report(variable.getLoc(),
                     "no graph reads or writes variable '" +
                         variable.getSymName() + "'",
                     "remove it; it takes memory and is saved with the others");
}

void lintUnusedDatasets(LintContext &context) {
  llvm::StringSet<> used;
  context.module.walk([&](NextOp next) { used.insert(next.getDataset()); });
  for (auto dataset : context.module.getOps<DatasetOp>())
    if (!used.contains(dataset.getSymName()))
      context.report(dataset.getLoc(),
                     "no graph takes a batch of dataset '" +
                         dataset.getSymName() + "'",
                     "remove it; every run must name files for it");
}

void lintIdleGraphs(LintContext &context) {
  for (auto graph : context.module.getOps<GraphOp>()) {
    if (graph.getReturn()->getNumOperands() != 0)
      continue;
    bool acts = llvm::any_of(graph.getBlock(), [](Operation &op) {
      return isa<MinimizeOp, EmaOp>(op) || !writtenBy(op).empty();
    });
    if (!acts)
      context.report(graph.getLoc(),
                     "graph '" + graph.getSymName() +
                         "' fetches nothing and writes no variable",
                     "return what it computes, or remove it");
  }
}

void lintLargeConstants(LintContext &context) {
  context.module.walk([&](ConstOp constant) {
    int64_t bytes = bytesOf(tensorType(constant));
    // One number for all elements is not kept as so many numbers.
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (bytes <= kLarge || (dense && dense.isSplat()))
      return;
    context.report(constant.getLoc(),
                   "constant " + nameOf(constant) + " holds " +
                       mebibytes(bytes) + " of data in the graph",
                   "read it from a dataset, feed it, or make it the initial "
                   "value of a variable");
  });
}

void lintLargeFetches(LintContext &context) {
  for (auto graph : context.module.getOps<GraphOp>()) {
    if (graph.getBlock().getOps<MinimizeOp>().empty())
      continue;
    for (auto [name, value] :
         llvm::zip(graph.getFetchNames().getAsRange<StringAttr>(),
                   graph.getReturn().getValues()))
      if (int64_t bytes = bytesOf(tensorType(value)); bytes > kLarge)
        context.report(value.getLoc(),
                       "every step of graph '" + graph.getSymName() +
                           "' fetches " + mebibytes(bytes) + " as '" +
                           name.getValue() + "'",
                       "fetch it from a graph of its own that runs when it "
                       "is needed");
  }
}

void lintEarlyAverages(LintContext &context) {
  for (auto graph : context.module.getOps<GraphOp>()) {
    // Variables that are updated further down, seen from the end.
    llvm::StringSet<> updatedBelow;
    for (Operation &op : llvm::reverse(graph.getBlock())) {
      if (isa<MinimizeOp>(op))
        for (auto variable : context.module.getOps<VariableOp>())
          if (variable.getTrainable())
            updatedBelow.insert(variable.getSymName());
      StringRef average = writtenBy(op);
      if (average.empty())
        continue;
      StringRef variable = averagedBy(op, average);
      if (!variable.empty() && updatedBelow.contains(variable))
        context.report(op.getLoc(),
                       "the average '" + average + "' takes in '" + variable +
                           "' before this step updates it",
                       "move it below the update, with a read of its own, or "
                       "use tfir.ema");
      updatedBelow.insert(average);
    }
  }
}

} // namespace graphc
