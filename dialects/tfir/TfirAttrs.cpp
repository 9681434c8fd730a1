// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing, printing and verifying of attributes.
#include "dialects/tfir/TfirAttrs.h"

#include "dialects/tfir/ops/features/FeatureColumns.h"
#include "dialects/tfir/training/TfirOptimizers.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace mlir;

namespace graphc::tfir {

/// The number that a builtin attribute stands for; nothing for what is none,
/// for infinities and NaN, and for integers that fall between two doubles.
static std::optional<double> numberOf(Attribute attr) {
  if (auto value = dyn_cast_if_present<FloatAttr>(attr)) {
    if (!std::isfinite(value.getValueAsDouble()))
      return std::nullopt;
    return value.getValueAsDouble();
  }
  auto value = dyn_cast_if_present<IntegerAttr>(attr);
  if (!value)
    return std::nullopt;
  APFloat number(APFloat::IEEEdouble());
  if (number.convertFromAPInt(value.getValue(), /*IsSigned=*/true,
                              APFloat::rmNearestTiesToEven) != APFloat::opOK)
    return std::nullopt;
  return number.convertToDouble();
}

/// Explains why an attribute is no number.
static StringRef causeOf(Attribute attr) {
  if (isa<FloatAttr>(attr))
    return "the number is not finite; where infinity is meant, write it as a "
           "dense constant, such as dense<0x7F800000> : tensor<f32>";
  return isa<IntegerAttr>(attr)
             ? "the number is beyond those that are exact here; write it as a "
               "dense constant, such as dense<9007199254740993> : tensor<i64>"
             : "expected a number such as 0.5";
}

FailureOr<Number> parseNumber(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attr;
  if (failed(parser.parseAttribute(attr)))
    return failure();
  if (std::optional<double> number = numberOf(attr))
    return Number(*number);
  return parser.emitError(loc, causeOf(attr));
}

void printNumber(AsmPrinter &printer, double value) {
  char text[64];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  // MLIR's float literals have a decimal point before the exponent.
  StringRef number = text;
  size_t exponent = number.find('e');
  StringRef mantissa = number.substr(0, exponent);
  printer << mantissa;
  if (!mantissa.contains('.'))
    printer << ".0";
  if (exponent != StringRef::npos)
    printer << number.substr(exponent);
}

FailureOr<ArrayAttr> parseNumbers(AsmParser &parser) {
  SmallVector<Attribute> numbers;
  auto parseOne = [&]() -> ParseResult {
    FailureOr<Number> number = parseNumber(parser);
    if (failed(number))
      return failure();
    numbers.push_back(parser.getBuilder().getF64FloatAttr(*number));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  return parser.getBuilder().getArrayAttr(numbers);
}

void printNumbers(AsmPrinter &printer, ArrayAttr numbers) {
  printer << "[";
  llvm::interleaveComma(numbers.getAsRange<FloatAttr>(), printer,
                        [&](FloatAttr number) {
                          printNumber(printer, number.getValueAsDouble());
                        });
  printer << "]";
}

FailureOr<Attribute> parseRate(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attr;
  if (failed(parser.parseAttribute(attr)))
    return failure();
  if (isa<ScheduleAttrInterface>(attr))
    return attr;
  if (std::optional<double> number = numberOf(attr))
    return Attribute(parser.getBuilder().getF64FloatAttr(*number));
  return parser.emitError(loc,
                          "expected a finite number or a schedule, such as "
                          "#tfir.exponential_decay<...>, as rate");
}

void printRate(AsmPrinter &printer, Attribute rate) {
  if (auto number = dyn_cast<FloatAttr>(rate))
    printNumber(printer, number.getValueAsDouble());
  else
    printer << rate;
}

llvm::hash_code detail::DeviceAttrStorage::hashKey(const KeyTy &key) {
  auto hashOf = [](const auto &field) {
    return field ? llvm::hash_value(*field) : llvm::hash_code(0);
  };
  return llvm::hash_combine(hashOf(key.job), hashOf(key.replica),
                            hashOf(key.task), hashOf(key.type), hashOf(key.id));
}

ParseResult parseDeviceText(AsmParser &parser, DeviceAttr &device) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  if (failed(parser.parseString(&text)))
    return failure();
  runtime::StatusOr<runtime::DeviceName> name =
      runtime::DeviceName::parse(text);
  if (!name.isOk())
    return parser.emitError(loc, name.status().message());
  device = DeviceAttr::get(parser.getContext(), *name);
  return success();
}

void printDeviceText(AsmPrinter &printer, DeviceAttr device) {
  printer.printString(device.getText());
}

void printDeviceText(OpAsmPrinter &printer, Operation *, DeviceAttr device) {
  printDeviceText(printer, device);
}

Attribute DeviceAttr::parse(AsmParser &parser, Type) {
  DeviceAttr device;
  if (failed(parser.parseLess()) || failed(parseDeviceText(parser, device)) ||
      failed(parser.parseGreater()))
    return {};
  return device;
}

void DeviceAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printDeviceText(printer, *this);
  printer << ">";
}

const runtime::DeviceName &DeviceAttr::getDeviceName() const {
  return getImpl()->deviceName;
}

StringRef DeviceAttr::getText() const { return getImpl()->text; }

LogicalResult InstanceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringAttr of, int64_t worker,
                                   int64_t workers, UpdateCoordination how,
                                   int64_t staleness, int64_t quorum,
                                   StringAttr apply) {
  if (worker < 0 || worker >= workers) // (C1)
    return emitError() << "worker is " << worker << " of " << workers
                       << ", expected one that counts from 0";
  if (staleness < -1 || (staleness >= 0 && how != UpdateCoordination::Async))
    return emitError() << "staleness is " << staleness // (C2)
                       << ", expected at least -1, and -1 unless coordination "
                          "is async";
  bool isQuorum = how == UpdateCoordination::Quorum;
  if (isQuorum ? quorum < 1 || !apply : quorum != 0 || apply) // (C3)
    return emitError() << "quorum and apply belong to the coordination quorum, "
                          "which needs both";
  return success();
}

LogicalResult SummaryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  SummaryKind, StringAttr tag, int64_t fetch,
                                  int64_t maxOutputs, int64_t thresholds,
                                  FloatAttr) {
  if (tag.empty()) // (C1)
    return emitError() << "tag is empty, expected a name such as \"loss\"";
  if (fetch < 0 || maxOutputs < 0 || thresholds < 0)
    return emitError() << "fetch, max_outputs or thresholds is negative, "
                          "expected numbers from 0";
  return success();
}

InstanceAttr InstanceAttr::withApply(StringAttr apply) const {
  return get(getContext(), getOf(), getWorker(), getWorkers(),
             getCoordination(), getStaleness(), getQuorum(), apply);
}

} // namespace graphc::tfir

using namespace graphc::tfir;

#define GET_ATTRDEF_CLASSES
#include "dialects/tfir/TfirAttrs.cpp.inc"

void TfirDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tfir/TfirAttrs.cpp.inc"
      >();
}
