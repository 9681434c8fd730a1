// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-lsp/Meanings.h"

#include "dialects/tfir/Tfir.h"
#include "lib/text/Types.h"
#include "lib/text/build/Evaluator.h"

#include "llvm/ADT/STLExtras.h"

using namespace graphc::text;

namespace graphc::lsp {

namespace {

/// The value that a scope on a device gives on.
mlir::Value originOf(mlir::Value value) {
  while (auto scope = value.getDefiningOp<tfir::DeviceOp>()) {
    mlir::Block &body = scope.getBody().front();
    unsigned result = llvm::cast<mlir::OpResult>(value).getResultNumber();
    if (body.empty() || body.back().getNumOperands() <= result)
      break;
    value = body.back().getOperand(result);
  }
  return value;
}

/// Sets the name of the operation, or of the feed, that gives the value.
void setKey(mlir::Value value, Meaning &meaning) {
  value = originOf(value);
  mlir::Operation *parent = value.getParentBlock()->getParentOp();
  auto graph = llvm::dyn_cast<tfir::GraphOp>(parent);
  if (!graph)
    graph = parent->getParentOfType<tfir::GraphOp>();
  if (!graph)
    return;
  std::string prefix = graph.getSymName().str() + "/";
  if (auto result = llvm::dyn_cast<mlir::OpResult>(value)) {
    auto node = llvm::dyn_cast<tfir::NodeOpInterface>(result.getOwner());
    if (node && node.getNodeName()) {
      meaning.key = prefix + node.getNodeName().str();
      meaning.result = result.getResultNumber();
    }
  }
}

Meaning meaningOf(const Item &item) {
  Meaning meaning;
  switch (item.kind) {
  case Item::Kind::Values:
    if (item.values.empty())
      break;
    meaning.type = printType(
        llvm::cast<mlir::RankedTensorType>(item.values.front().getType()));
    setKey(item.values.front(), meaning);
    return meaning;
  case Item::Kind::Variable:
    meaning.type =
        printType(llvm::cast<mlir::RankedTensorType>(item.types.front()));
    meaning.key = "@" + item.symbol.str();
    return meaning;
  case Item::Kind::Constant:
    meaning.text = item.constant.print();
    return meaning;
  default:
    break;
  }
  meaning.text = describe(item);
  return meaning;
}

} // namespace

void Meanings::add(const char *place, const Item &item) {
  constexpr size_t kMost = 4;
  if (item.isError() || place < source.begin() || place >= source.end())
    return;
  MeaningsOfPlace &all = places[place];
  ++all.count;
  if (all.first.size() >= kMost)
    return;
  Meaning meaning = meaningOf(item);
  if (!llvm::is_contained(all.first, meaning))
    all.first.push_back(std::move(meaning));
}

void Meanings::observeName(const char *place, const Item &item) {
  add(place, item);
}

void Meanings::observe(const Expr &expr, const Item &item) {
  switch (expr.kind) {
  case ExprKind::Name:
  case ExprKind::Call:
  case ExprKind::Unary:
  case ExprKind::Binary:
    return add(expr.text.data(), item);
  default:
    return;
  }
}

const MeaningsOfPlace *Meanings::at(const char *place) const {
  auto found = places.find(place);
  return found == places.end() ? nullptr : &found->second;
}

} // namespace graphc::lsp
