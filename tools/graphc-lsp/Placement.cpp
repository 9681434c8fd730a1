// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-lsp/Placement.h"

#include "dialects/tfir/Tfir.h"
#include "graphc/Pipeline.h"
#include "lib/pipeline/ResolveOptions.h"
#include "lib/placement/PlacementLog.h"
#include "lib/text/Types.h"
#include "tools/graphc-lsp/Meanings.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace graphc::lsp {

PlacedModule::PlacedModule(ModuleOp module, CompileOptions given) {
  given.placement.logged.all = true;
  runtime::StatusOr<CompileOptions> options = resolveOptions(std::move(given));
  if (!options.isOk()) {
    emitError(UnknownLoc::get(module.getContext()))
        << options.status().message();
    return;
  }
  PipelineOutputs outputs;
  outputs.takePlacement = [&](std::shared_ptr<const PlacementLog> taken) {
    log = std::move(taken);
  };
  PassManager input(module.getContext());
  buildInput(input, std::nullopt, *options);
  if (failed(input.run(module)))
    return;
  for (Phase phase : kAllPhases) {
    PassManager passes(module.getContext());
    buildPhase(passes, phase, *options, outputs);
    if (failed(passes.run(module)))
      return;
    if (phase == Phase::Parsed)
      collectTypes(module);
    if (phase == Phase::Placed)
      return;
  }
}

void PlacedModule::collectTypes(ModuleOp module) {
  module.walk([&](tfir::NodeOpInterface node) {
    auto graph = node->getParentOfType<tfir::GraphOp>();
    if (!graph || !node.getNodeName())
      return;
    std::string key =
        (graph.getSymName() + "/" + node.getNodeName().getValue()).str();
    std::vector<std::string> &each = types[key];
    for (Type type : node->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        each.push_back(text::printType(tensor));
  });
}

std::string PlacedModule::typeOf(const Meaning &meaning) const {
  auto found = types.find(meaning.key);
  return found != types.end() && meaning.result < found->second.size()
             ? found->second[meaning.result]
             : "";
}

std::string PlacedModule::explain(const Meaning &meaning) const {
  if (!log || meaning.key.empty())
    return "";
  // A variable has no graph. Of an operation with towers, that of the first
  // one.
  auto [graph, op] = StringRef(meaning.key).split('/');
  std::string inTower = (graph + "/tower_0/" + op).str();
  for (const PlacementRecord &record : log->records) {
    std::string key = log->keyOf(record);
    if (key != meaning.key && key != inTower)
      continue;
    runtime::StatusOr<std::string> text =
        log->explain(record.graph == kNoNode ? record.name : key);
    std::string cost = log->costOf(record);
    return (text.isOk() ? *text : "") +
           (cost.empty() ? "" : "  " + cost + ", as predicted\n");
  }
  return "";
}

} // namespace graphc::lsp
