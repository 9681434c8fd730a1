// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the attributes' numbers are written.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRATTRS_H
#define GRAPHC_DIALECTS_TFIR_TFIRATTRS_H

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"

namespace graphc::tfir {

/// A number in an attribute; two are the same when their bits are.
struct Number {
  double value;

  Number(double value) : value(value) {}
  operator double() const { return value; }
  bool operator==(const Number &other) const {
    return llvm::bit_cast<uint64_t>(value) ==
           llvm::bit_cast<uint64_t>(other.value);
  }
  friend llvm::hash_code hash_value(const Number &number) {
    return llvm::hash_value(llvm::bit_cast<uint64_t>(number.value));
  }
};

/// A number with or without a decimal point: `0.5`, `-1`, `1.0e-4`.
mlir::FailureOr<Number> parseNumber(mlir::AsmParser &parser);
/// The shortest text that parseNumber reads back as the same number.
void printNumber(mlir::AsmPrinter &printer, double value);

/// A number, as an f64 attribute, or a schedule such as
/// `#tfir.exponential_decay<...>`.
mlir::FailureOr<mlir::Attribute> parseRate(mlir::AsmParser &parser);
void printRate(mlir::AsmPrinter &printer, mlir::Attribute rate);

} // namespace graphc::tfir

#endif
