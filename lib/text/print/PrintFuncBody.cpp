// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies as funcs before the graph: `y = recompute(_recompute0, x, name="")`.
#include "dialects/tfir/ops/control/TfirControlOps.h"
#include "lib/text/Attributes.h"
#include "lib/text/print/GraphPrinter.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc::text {

/// Prints the body as a func, whose first operands are the arguments of its
/// block, and returns its name and what else it takes: "_recompute0, x, w".
FailureOr<std::string> GraphPrinter::printFunc(Region &body, StringRef kind) {
  flush();
  std::string call = ("_" + kind + Twine(bodies++)).str();
  llvm::SetVector<Value> captured;
  body.walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (!body.isAncestor(value.getParentRegion()))
        captured.insert(value);
  });
  SmallVector<std::string> operands, outside;
  for (Value argument : body.getArguments())
    operands.push_back(names[argument] = freshName());
  std::string head = "func " + call + "(";
  for (Value value : captured) {
    outside.push_back(nameOf(value));
    call += ", " + outside.back();
  }
  for (Value value : captured)
    operands.push_back(names[value] = freshName());
  head += llvm::join(operands, ", ") + ") {\n";

  std::string outerText = std::move(text);
  unsigned outerDepth = depth;
  llvm::StringMap<Operation *> outerReads = reads;
  text.clear();
  depth = 1;
  if (failed(printBlock(body.front())))
    return failure();
  SmallVector<std::string> returned;
  for (Value value : body.front().getTerminator()->getOperands())
    returned.push_back(nameOf(value));
  line("return " + llvm::join(returned, ", "));
  funcs += head + text + "}\n\n";
  text = std::move(outerText);
  depth = outerDepth;
  reads = std::move(outerReads);
  for (auto [value, name] : llvm::zip(captured, outside))
    names[value] = name;
  return call;
}

LogicalResult GraphPrinter::printRecompute(tfir::RecomputeOp op) {
  for (NamedAttribute attribute : op->getAttrs())
    return op.emitOpError() << "has '" << attribute.getName().getValue()
                            << "', which a text cannot have";
  FailureOr<std::string> call = printFunc(op.getBody(), "recompute");
  if (failed(call))
    return failure();
  SmallVector<std::string> results;
  for (Value result : op.getResults())
    results.push_back(names[result] = freshName());
  line(llvm::join(results, ", ") + (results.empty() ? "" : " = ") +
       "recompute(" + *call + ", name=\"\")");
  op.getBody().walk([&](Operation *inner) { noteUpdates(inner); });
  return success();
}

LogicalResult GraphPrinter::printCustomGradient(tfir::CustomGradientOp op) {
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    if (attribute.getName() != "name")
      return op.emitOpError() << "has '" << attribute.getName().getValue()
                              << "', which a text cannot have";
  FailureOr<std::string> call = printFunc(op.getBody(), "gradient");
  if (failed(call))
    return failure();
  auto list = [&](ValueRange values) {
    std::string text;
    for (Value value : values)
      text += (text.empty() ? "" : ", ") + nameOf(value);
    return "[" + text + "]";
  };
  std::string arguments =
      list(op.getValues()) + ", " + list(op.getOf()) + ", " + *call;
  StringAttr name = tfir::getNodeName(op);
  if (name && !usesOwnName(op))
    arguments += ", name=" + printAttribute(name, ArgumentKind::String);
  std::string results;
  for (Value result : op.getResults()) {
    names[result] = bindName(op);
    results += (results.empty() ? "" : ", ") + names[result];
  }
  line(results + " = custom_gradient(" + arguments + ")");
  return success();
}

} // namespace graphc::text
