// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/LiteralTypes.h"

#include "dialects/tfir/Tfir.h"
#include "lib/text/Types.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace graphc::text {

namespace {

/// True when an operand whose type constraint has the summary may have the
/// element type; summaries that name no types allow all.
bool allows(StringRef summary, Type element) {
  static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral>
      kWords[] = {{"f32", "32-bit float"},    {"f64", "64-bit float"},
                  {"i32", "32-bit signless"}, {"i64", "64-bit signless"},
                  {"bool", "1-bit signless"}, {"u8", "8-bit unsigned"},
                  {"string", "a string"}};
  StringRef name = elementName(element);
  bool namesAny = false;
  for (auto &[known, word] : kWords) {
    bool isThere = summary.contains(word);
    if (isThere && known == name)
      return true;
    namesAny |= isThere;
  }
  return !namesAny;
}

/// The constant that the literal of a number or bool is read as, as far as
/// types depend on it.
Constant asLiteral(tfir::ConstOp op) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  Type element = elements.getElementType();
  auto leaf = [&](Attribute value) {
    if (auto number = dyn_cast<FloatAttr>(value))
      return Constant::ofFloat(number.getValueAsDouble());
    auto integer = dyn_cast<IntegerAttr>(value);
    if (!integer)
      return Constant::ofString("");
    if (element.isSignlessInteger(1))
      return Constant::ofBool(!integer.getValue().isZero());
    return Constant::ofInteger(element.isUnsignedInteger()
                                   ? integer.getValue().getZExtValue()
                                   : integer.getValue().getSExtValue());
  };
  if (isa<DenseStringElementsAttr>(elements))
    return Constant::ofString("");
  if (elements.getType().getRank() == 0)
    return leaf(elements.getSplatValue<Attribute>());
  Constant list;
  list.kind = Constant::Kind::List;
  for (Attribute value : elements.getValues<Attribute>())
    list.elements.push_back(leaf(value));
  return list;
}

} // namespace

Type literalElement(const Constant &literal, const ArgumentSignature &argument,
                    ArrayRef<Type> others, MLIRContext &context) {
  for (Type type : others) {
    Type element = cast<RankedTensorType>(type).getElementType();
    if (fits(literal, element) && allows(argument.summary, element))
      return element;
  }
  // A whole number stays one where nothing asks for a float.
  if (Type usual = usualElement(literal, context))
    if (allows(argument.summary, usual))
      return usual;
  for (StringRef name : {"f32", "f64", "i32", "i64", "u8"}) {
    Type element = elementType(name, context);
    if (fits(literal, element) && allows(argument.summary, element))
      return element;
  }
  return {};
}

bool literalsKeepTypes(Operation *op, ArrayRef<unsigned> literals) {
  const OpSignature *signature = findOp(op->getName().stripDialect());
  if (!signature || literals.size() == op->getNumOperands())
    return false;
  SmallVector<Type> others;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (!llvm::is_contained(literals, index))
      others.push_back(operand.getType());
  SmallVector<const ArgumentSignature *> arguments;
  for (const ArgumentSignature &argument : signature->arguments)
    if (argument.kind == ArgumentKind::Operand)
      arguments.push_back(&argument);
  for (unsigned index : literals) {
    const ArgumentSignature &argument =
        *arguments[std::min<size_t>(index, arguments.size() - 1)];
    Value operand = op->getOperand(index);
    Type element =
        literalElement(asLiteral(operand.getDefiningOp<tfir::ConstOp>()),
                       argument, others, *op->getContext());
    if (element != getElementTypeOrSelf(operand))
      return false;
  }
  return true;
}

} // namespace graphc::text
