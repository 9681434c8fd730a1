// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters of attributes: parsed device names, and numbers with their form.
#ifndef GRAPHC_DIALECTS_TFIR_TFIRATTRS_H
#define GRAPHC_DIALECTS_TFIR_TFIRATTRS_H

#include "runtime/base/DeviceName.h"

#include "mlir/IR/AttributeSupport.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/bit.h"

namespace graphc::tfir {

class BudgetKindAttr;
class DeviceAttr;

namespace detail {

/// A device name with its canonical text, unique in a context.
struct DeviceAttrStorage : mlir::AttributeStorage {
  using KeyTy = runtime::DeviceName;

  explicit DeviceAttrStorage(KeyTy key)
      : deviceName(std::move(key)), text(deviceName.toString()) {}

  bool operator==(const KeyTy &key) const { return key == deviceName; }
  static llvm::hash_code hashKey(const KeyTy &key);
  static DeviceAttrStorage *
  construct(mlir::AttributeStorageAllocator &allocator, KeyTy key) {
    return new (allocator.allocate<DeviceAttrStorage>())
        DeviceAttrStorage(std::move(key));
  }

  runtime::DeviceName deviceName;
  std::string text;
};

} // namespace detail

/// Parses a device name between quotes, as ops write it: `on "/gpu:0"`.
mlir::ParseResult parseDeviceText(mlir::AsmParser &parser, DeviceAttr &device);
void printDeviceText(mlir::AsmPrinter &printer, DeviceAttr device);
void printDeviceText(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                     DeviceAttr device);

/// The lines of tfir.devices: `["/job:a/..." priority 210 memory 4096, ...]`.
mlir::ParseResult parseDeviceEntries(mlir::OpAsmParser &parser,
                                     mlir::ArrayAttr &entries);
void printDeviceEntries(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                        mlir::ArrayAttr entries);

/// The kind of tfir.budget between quotes: `tfir.budget "peak"`.
mlir::ParseResult parseBudgetKindText(mlir::OpAsmParser &parser,
                                      BudgetKindAttr &kind);
void printBudgetKindText(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         BudgetKindAttr kind);

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

/// Numbers between brackets, as f64 attributes: `[1, 0.5]`.
mlir::FailureOr<mlir::ArrayAttr> parseNumbers(mlir::AsmParser &parser);
void printNumbers(mlir::AsmPrinter &printer, mlir::ArrayAttr numbers);

/// A number, as an f64 attribute, or a schedule such as
/// `#tfir.exponential_decay<...>`.
mlir::FailureOr<mlir::Attribute> parseRate(mlir::AsmParser &parser);
void printRate(mlir::AsmPrinter &printer, mlir::Attribute rate);

} // namespace graphc::tfir

#endif
