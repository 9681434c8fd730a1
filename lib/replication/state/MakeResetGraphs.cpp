// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/replication/state/MakeResetGraphs.h"

#include "dialects/tfir/Support.h"
#include "lib/replication/state/MakeInitGraph.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace graphc {

using namespace tfir;

namespace {

/// Reset graphs of one module.
class ResetGraphs {
public:
  explicit ResetGraphs(ModuleOp module) : symbols(module) {}

  LogicalResult make(GraphOp graph);

private:
  bool isSum(FlatSymbolRefAttr variable) const;
  bool isSumAlone(Value value, bool &readsSum) const;
  void addFetches(GraphOp graph, GraphOp reset) const;

  SymbolTable symbols;
};

/// True for sums of an evaluation; those of gradients have no graph that a user
/// would run.
bool ResetGraphs::isSum(FlatSymbolRefAttr variable) const {
  auto op = symbols.lookup<VariableOp>(variable.getAttr());
  StringRef name = variable.getValue();
  return op && op.getTransient() && !name.ends_with("/grad_accum") &&
         !name.ends_with("/value_accum");
}

/// True when the value follows from sums and constants; `readsSum`: from a sum
/// at least.
bool ResetGraphs::isSumAlone(Value value, bool &readsSum) const {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  for (size_t i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i].getDefiningOp();
    if (!op)
      return false; // a feed
    if (auto read = dyn_cast<ReadOp>(op)) {
      if (!isSum(read.getVariableAttr()))
        return false;
      readsSum = true;
    } else if (!isPure(op)) {
      return false;
    }
    seen.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

void ResetGraphs::addFetches(GraphOp graph, GraphOp reset) const {
  OpBuilder builder(reset.getReturn());
  SmallVector<Attribute> names, types;
  SmallVector<Value> values;
  for (auto [value, name] :
       llvm::zip(graph.getReturn().getValues(), graph.getFetchNames())) {
    bool readsSum = false;
    if (!isSumAlone(value, readsSum) || !readsSum)
      continue;
    RankedTensorType type = tensorType(value);
    names.push_back(name);
    types.push_back(TypeAttr::get(type));
    values.push_back(
        ConstOp::create(builder, reset.getLoc(), type,
                        cast<ElementsAttr>(builder.getZeroAttr(type))));
  }
  reset.setFetchNamesAttr(builder.getArrayAttr(names));
  reset.setFetchTypesAttr(builder.getArrayAttr(types));
  reset.getReturn()->setOperands(values);
}

LogicalResult ResetGraphs::make(GraphOp graph) {
  llvm::SetVector<StringRef> sums;
  Operation *update = nullptr;
  for (Operation &op : graph.getBlock()) {
    auto access = dyn_cast<VariableAccess>(op);
    if (!access)
      continue;
    SmallVector<FlatSymbolRefAttr> variables = access.getVariables();
    variables.truncate(access.getNumUpdated());
    for (FlatSymbolRefAttr variable : variables)
      if (isSum(variable) && sums.insert(variable.getValue()) && !update)
        update = &op;
  }
  if (!update)
    return success();
  if (graph.getInstance() || graph.getSymName().contains('@'))
    return update->emitOpError()
           << "updates the transient variable '" << sums.front()
           << "', the sum of an evaluation by all workers, but with --async, "
              "--sync=K or instances each has steps of its own; compile a "
              "model of its own for the evaluation";
  std::string name = (graph.getSymName() + "/reset").str();
  if (symbols.lookup(name))
    return success();
  OpBuilder builder(graph.getContext());
  builder.setInsertionPointAfter(graph);
  GraphOp reset = addGraph(builder, graph.getLoc(), name);
  addFetches(graph, reset);
  return initializeIn(reset, [&](VariableOp variable) {
    return sums.contains(variable.getSymName());
  });
}

} // namespace

LogicalResult makeResetGraphs(ModuleOp module) {
  ResetGraphs resets(module);
  for (GraphOp graph : llvm::to_vector(module.getOps<GraphOp>()))
    if (failed(resets.make(graph)))
      return failure();
  return success();
}

} // namespace graphc
