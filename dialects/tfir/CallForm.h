// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assembly of operations that compute tensors from tensors:
// `%x, %y {ksize = [2, 2]} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>`.
#ifndef GRAPHC_DIALECTS_TFIR_CALLFORM_H
#define GRAPHC_DIALECTS_TFIR_CALLFORM_H

#include "mlir/IR/OpImplementation.h"

namespace graphc::tfir {

/// Parses the operands, attributes and types of an operation. Lists of integers
/// may be written as `[2, 2]`, and the types of results be left out where they
/// follow from the operands.
mlir::ParseResult parseCallForm(mlir::OpAsmParser &parser,
                                mlir::OperationState &state);

/// Prints all of it but attributes that are equal to those of `defaults`, which
/// may be null.
void printCallForm(mlir::Operation *op, mlir::DictionaryAttr defaults,
                   mlir::OpAsmPrinter &printer);

/// The same, with the defaults of the operation's definition.
template <typename OpT>
void printCallForm(OpT op, mlir::OpAsmPrinter &printer) {
  mlir::DictionaryAttr defaults;
  if constexpr (requires(typename OpT::Properties properties) {
                  OpT::getPropertiesAsAttr(op.getContext(), properties);
                }) {
    typename OpT::Properties properties;
    OpT::populateDefaultProperties(op->getName(), properties);
    defaults = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(
        OpT::getPropertiesAsAttr(op.getContext(), properties));
  }
  printCallForm(op.getOperation(), defaults, printer);
}

} // namespace graphc::tfir

#endif
