// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/OperandCounts.h"

#include "dialects/tfir/OperandSegments.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace graphc::text {

SmallVector<size_t> operandCounts(Operation *op, const OpSignature &signature) {
  SmallVector<size_t> counts;
  if (auto sizes =
          op->getAttrOfType<DenseI32ArrayAttr>(tfir::kOperandSegments)) {
    counts.assign(sizes.asArrayRef().begin(), sizes.asArrayRef().end());
    return counts;
  }
  size_t others = 0; // operands of the arguments that take one
  for (const ArgumentSignature &argument : signature.arguments)
    if (argument.kind == ArgumentKind::Operand && !argument.variadic &&
        !argument.optional)
      ++others;
  // An operation that is still wrong may have too few.
  size_t rest =
      op->getNumOperands() - std::min<size_t>(others, op->getNumOperands());
  for (const ArgumentSignature &argument : signature.arguments)
    if (argument.kind == ArgumentKind::Operand)
      counts.push_back(argument.variadic || argument.optional ? rest : 1);
  return counts;
}

const ArgumentSignature *argumentOf(Operation *op, const OpSignature &signature,
                                    size_t index) {
  SmallVector<size_t> counts = operandCounts(op, signature);
  size_t argumentNumber = 0, end = 0; // of the operands so far
  for (const ArgumentSignature &argument : signature.arguments) {
    if (argument.kind != ArgumentKind::Operand)
      continue;
    end += counts[argumentNumber++];
    if (index < end)
      return &argument;
  }
  return nullptr;
}

} // namespace graphc::text
