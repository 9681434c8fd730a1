// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes fetches of what summaries show:
//
//   tfir.summary.scalar "loss", %loss    ->    tfir.return %loss
//   tfir.return
//
// Guarantees: no summary op is left; the attribute `summaries` of a graph has
// one entry per op, in their order, of different tags, for its last fetches.
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_COLLECTSUMMARIESPASS
#include "graphc/Passes.h.inc"

using namespace tfir;

namespace {

/// The name, or the first of `name_1`, `name_2` that is not taken.
std::string takeName(const std::string &name, llvm::StringSet<> &taken) {
  std::string free = name;
  for (unsigned number = 1; !taken.insert(free).second; ++number)
    free = name + "_" + std::to_string(number);
  return free;
}

/// The tag within the scopes of the op, with the characters that TensorFlow
/// leaves in tags.
std::string wholeTag(SummaryOpInterface op) {
  std::string tag = op.getSummaryTag().ltrim('/').str();
  if (auto name = getNodeName(op)) {
    auto [scopes, last] = name.getValue().rsplit('/');
    if (!last.empty())
      tag = (scopes + "/" + tag).str();
  }
  for (char &c : tag)
    if (!llvm::isAlnum(c) && !StringRef("-/_.").contains(c))
      c = '_';
  return tag;
}

class Collector {
public:
  explicit Collector(GraphOp graph)
      : graph(graph), names(llvm::to_vector(graph.getFetchNames())),
        types(llvm::to_vector(graph.getFetchTypes())) {
    for (auto name : graph.getFetchNames().getAsValueRange<StringAttr>())
      takenNames.insert(name);
  }

  void run() {
    auto summaries =
        llvm::to_vector(graph.getBlock().getOps<SummaryOpInterface>());
    if (summaries.empty())
      return;
    for (SummaryOpInterface summary : summaries)
      add(summary);
    Builder b(graph.getContext());
    graph.setFetchNamesAttr(b.getArrayAttr(names));
    graph.setFetchTypesAttr(b.getArrayAttr(types));
    graph.setSummariesAttr(b.getArrayAttr(attrs));
  }

private:
  void add(SummaryOpInterface summary) {
    Builder b(graph.getContext());
    std::string tag = takeName(wholeTag(summary), takenTags);
    attrs.push_back(summary.getSummaryAttr(b.getStringAttr(tag),
                                           static_cast<int64_t>(names.size())));
    for (Value value : summary->getOperands()) {
      names.push_back(b.getStringAttr(takeName("summary/" + tag, takenNames)));
      types.push_back(TypeAttr::get(value.getType()));
      graph.getReturn().getValuesMutable().append(value);
    }
    summary->erase();
  }

  GraphOp graph;
  SmallVector<Attribute> names, types, attrs;
  llvm::StringSet<> takenNames, takenTags;
};

struct CollectSummariesPass
    : impl::CollectSummariesPassBase<CollectSummariesPass> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>())
      Collector(graph).run();
  }
};

} // namespace
} // namespace graphc
