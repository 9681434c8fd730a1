// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that a call may give, of operations and attributes, from their
// definitions by graphc-tblgen. No other file of this folder knows an
// operation.
#ifndef GRAPHC_LIB_TEXT_SIGNATURES_H
#define GRAPHC_LIB_TEXT_SIGNATURES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace graphc::text {

enum class ArgumentKind {
  Operand,
  ElementType, ///< of the result
  Shape,       ///< of the result
  Integer,
  Float,
  Bool,
  Unit,
  String,
  StringList,
  IntegerList,
  Symbol,
  SymbolList,
  Elements,
  Device,
  Attribute, ///< an attribute of the dialect, such as an optimizer
  AttributeList,
  ColumnList,  ///< of feature columns
  Raw,         ///< an attribute in MLIR's form
  Enumeration, ///< one of a few texts
};

struct ArgumentSignature {
  llvm::StringLiteral name;
  ArgumentKind kind;
  bool variadic; ///< takes any number of operands
  bool optional;
  llvm::StringLiteral cases; ///< of an enumeration: "link=0,peak=2"
  llvm::StringLiteral summary;
};

/// Rule for the types of results that do not follow by TypeInferable: that of
/// Tfir_ResultsBy in TfirBase.td.
enum class ResultRule { None, ElementType, Shape, Variable, Batch, Operands };

struct OpSignature {
  llvm::StringLiteral name;
  llvm::ArrayRef<ArgumentSignature> arguments; ///< in the order of a call
  unsigned results;
  bool variadicResults; ///< the last result is any number of them
  ResultRule rule;
  llvm::StringLiteral ruleFrom; ///< the argument that the rule looks at
  bool hasRegions;              ///< is a statement of its own, and not called
  llvm::StringLiteral summary;

  const ArgumentSignature *find(llvm::StringRef argument) const;
};

struct AttributeSignature {
  llvm::StringLiteral name;
  llvm::ArrayRef<ArgumentSignature> parameters;
  bool named; ///< MLIR's form of it is `<name = value, ...>`
  llvm::StringLiteral summary;
};

/// Null when there is none of the name.
const OpSignature *findOp(llvm::StringRef name);
const AttributeSignature *findAttribute(llvm::StringRef name);

/// All of them by name.
llvm::ArrayRef<OpSignature> allOps();
llvm::ArrayRef<AttributeSignature> allAttributes();

/// "conv2d(input, filter, strides=, padding=)": what a call may give, those in
/// brackets that can be left out.
std::string describe(const OpSignature &op);

/// An argument of the kind as an example, such as `[2, 2]`.
llvm::StringRef exampleOf(ArgumentKind kind);

} // namespace graphc::text

#endif
