// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments of calls as attributes of MLIR, and back.
#ifndef GRAPHC_LIB_TEXT_ATTRIBUTES_H
#define GRAPHC_LIB_TEXT_ATTRIBUTES_H

#include "lib/text/Signatures.h"
#include "lib/text/syntax/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace graphc::text {

/// Parses an attribute in MLIR's form. Null, with MLIR's message in `error`,
/// when it is none.
mlir::Attribute parseMlirAttribute(llvm::StringRef text,
                                   mlir::MLIRContext &context,
                                   std::string &error);

/// An attribute of the dialect in MLIR's form, `#tfir.sgd<...>`, as a call;
/// empty when it is none.
std::string printCallOf(llvm::StringRef attribute);

/// An attribute as the text language writes it for an argument of the kind, in
/// MLIR's form between backquotes where it has no words of its own.
std::string printAttribute(mlir::Attribute attribute, ArgumentKind kind);
std::string printAttribute(mlir::Attribute attribute,
                           const ArgumentSignature &argument);

} // namespace graphc::text

#endif
