// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/print/PrintText.h"

#include "lib/text/Attributes.h"
#include "lib/text/Types.h"
#include "lib/text/print/GraphPrinter.h"
#include "lib/text/syntax/Lexer.h"

using namespace mlir;

namespace graphc::text {

namespace {

/// `name=value` for each attribute but those in `printed`, in the order of the
/// signature, with `separator` in front of each.
LogicalResult printSettings(Operation *op, ArrayRef<StringRef> printed,
                            StringRef separator, std::string &text) {
  const OpSignature *signature = findOp(op->getName().stripDialect());
  DictionaryAttr defaults = defaultsOf(op);
  for (NamedAttribute attribute : op->getAttrs()) {
    StringRef name = attribute.getName();
    if (llvm::is_contained(printed, name) ||
        defaults.get(name) == attribute.getValue())
      continue;
    const ArgumentSignature *argument = signature->find(name);
    bool isCommon = (name == "device" || name == "colocate_with") &&
                    isa<StringAttr>(attribute.getValue());
    if (!argument && !isCommon)
      return op->emitOpError()
             << "has '" << name << "', which a text cannot have";
    text +=
        separator.str() + name.str() + "=" +
        (isCommon ? printAttribute(attribute.getValue(), ArgumentKind::String)
                  : printAttribute(attribute.getValue(), *argument));
  }
  return success();
}

LogicalResult printVariable(tfir::VariableOp variable, std::string &text) {
  text += "variable " + printName(variable.getSymName()) + ": " +
          printType(variable.getTensorType()) + " = ";
  Attribute initial = variable.getInitial();
  std::string value;
  if (auto elements = dyn_cast<DenseElementsAttr>(initial)) {
    // A number would be #tfir.fill.
    value = printElements(elements);
    if (!StringRef(value).starts_with("["))
      value = printAttribute(initial, ArgumentKind::Raw);
  } else {
    value = printAttribute(initial, ArgumentKind::Attribute);
    StringRef number = value;
    if (number.consume_front("fill(") && number.consume_back(")"))
      value = number.str();
  }
  text += value;
  if (failed(
          printSettings(variable, {"sym_name", "type", "initial"}, " ", text)))
    return failure();
  text += "\n";
  return success();
}

LogicalResult printDataset(tfir::DatasetOp dataset, std::string &text) {
  text += "dataset " + printName(dataset.getSymName()) + "(";
  StringRef separator;
  for (auto [name, type] :
       llvm::zip(dataset.getFieldNames().getAsRange<StringAttr>(),
                 dataset.getFieldTypes().getAsValueRange<TypeAttr>())) {
    if (!isPlainName(name.getValue()))
      return dataset.emitOpError()
             << "has the field " << name << ", whose name a text cannot have";
    text += separator.str() + name.getValue().str() + ": " +
            printType(cast<RankedTensorType>(type));
    separator = ", ";
  }
  text += ")";
  if (failed(printSettings(dataset, {"sym_name", "field_names", "field_types"},
                           " ", text)))
    return failure();
  text += "\n";
  return success();
}

LogicalResult printOther(Operation *op, std::string &text) {
  const OpSignature *signature = findOp(op->getName().stripDialect());
  bool isCall = isa_and_present<tfir::TfirDialect>(op->getDialect()) &&
                signature && !signature->hasRegions &&
                op->getNumOperands() == 0 && op->getNumResults() == 0;
  if (!isCall || isa<tfir::DevicesOp>(op))
    return op->emitError() << "'" << op->getName()
                           << "' is nothing that a text can have; texts end "
                              "where phase 'parsed' begins";
  std::string settings;
  if (failed(printSettings(op, {}, ", ", settings)))
    return failure();
  text += signature->name.str() + "(" +
          (settings.empty() ? "" : settings.substr(2)) + ")\n";
  return success();
}

} // namespace

DictionaryAttr defaultsOf(Operation *op) {
  Operation *plain =
      Operation::create(op->getLoc(), op->getName(), TypeRange(), ValueRange(),
                        NamedAttrList(), nullptr, BlockRange(), 0);
  DictionaryAttr defaults = plain->getAttrDictionary();
  plain->destroy();
  return defaults;
}

FailureOr<std::string> printText(ModuleOp module) {
  std::string text = "tfir 1";
  if (std::optional<StringRef> name = module.getSymName())
    text += " " + printName(*name);
  text += "\n";
  for (NamedAttribute attribute : module->getAttrs())
    if (attribute.getName() != "sym_name")
      return module.emitError() << "the module has '" << attribute.getName()
                                << "', which a text cannot have";
  llvm::StringSet<> globals;
  for (Operation &op : *module.getBody())
    if (auto symbol = dyn_cast<SymbolOpInterface>(op))
      if (!isa<tfir::GraphOp>(op))
        globals.insert(symbol.getName());
  StringRef last;
  unsigned bodies = 0;
  for (Operation &op : *module.getBody()) {
    // A line between kinds of declarations and before each graph.
    StringRef kind = op.getName().getStringRef();
    if (kind != last || isa<tfir::GraphOp>(op))
      text += "\n";
    last = kind;
    LogicalResult good = success();
    if (auto variable = dyn_cast<tfir::VariableOp>(op)) {
      good = printVariable(variable, text);
    } else if (auto dataset = dyn_cast<tfir::DatasetOp>(op)) {
      good = printDataset(dataset, text);
    } else if (auto graph = dyn_cast<tfir::GraphOp>(op)) {
      GraphPrinter printer(globals, bodies);
      good = printer.print(graph);
      text += printer.funcs + printer.text;
    } else {
      good = printOther(&op, text);
    }
    if (failed(good))
      return failure();
  }
  return text;
}

} // namespace graphc::text
