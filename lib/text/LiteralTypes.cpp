// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/LiteralTypes.h"

#include "dialects/tfir/Tfir.h"
#include "lib/text/OperandCounts.h"
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
                  {"f16", "16-bit float"},    {"bf16", "bfloat16 type"},
                  {"i32", "32-bit signless"}, {"i64", "64-bit signless"},
                  {"i8", "8-bit signless"},   {"i16", "16-bit signless"},
                  {"u8", "8-bit unsigned"},   {"u16", "16-bit unsigned"},
                  {"u32", "32-bit unsigned"}, {"u64", "64-bit unsigned"},
                  {"bool", "1-bit signless"}, {"string", "a string"}};
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

/// The element type of one literal beside operands with the element types
/// `others`.
Type literalElement(const Constant &literal, const ArgumentSignature &argument,
                    ArrayRef<Type> others, MLIRContext &context) {
  for (Type element : others)
    if (fits(literal, element) && allows(argument.summary, element))
      return element;
  // A whole number stays one where nothing asks for a float.
  if (Type usual = usualElement(literal, context))
    if (allows(argument.summary, usual))
      return usual;
  for (StringRef name :
       {"f32", "f64", "i32", "i64", "u8", "i8", "i16", "u16", "u32", "u64"}) {
    Type element = elementType(name, context);
    if (fits(literal, element) && allows(argument.summary, element))
      return element;
  }
  return {};
}

} // namespace

SmallVector<Type> literalElements(ArrayRef<Literal> literals,
                                  ArrayRef<Type> others, MLIRContext &context) {
  SmallVector<Type> known, elements(literals.size());
  for (Type type : others)
    known.push_back(cast<RankedTensorType>(type).getElementType());
  Type whole = elementType("i64", context);
  for (bool isWhole : {false, true})
    for (auto [literal, element] : llvm::zip(literals, elements)) {
      if (fits(literal.value, whole) != isWhole)
        continue;
      element =
          literalElement(literal.value, *literal.argument, known, context);
      if (element && !isWhole)
        known.push_back(element);
    }
  return elements;
}

bool literalsKeepTypes(Operation *op, ArrayRef<unsigned> literals) {
  const OpSignature *signature = findOp(op->getName().stripDialect());
  if (!signature || literals.size() == op->getNumOperands())
    return false;
  SmallVector<Type> others;
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    if (!llvm::is_contained(literals, index))
      others.push_back(operand.getType());
  SmallVector<Literal> given;
  for (unsigned index : literals) {
    const ArgumentSignature *argument = argumentOf(op, *signature, index);
    if (!argument)
      return false;
    given.push_back(
        {asLiteral(op->getOperand(index).getDefiningOp<tfir::ConstOp>()),
         argument});
  }
  SmallVector<Type> elements =
      literalElements(given, others, *op->getContext());
  for (auto [index, element] : llvm::zip(literals, elements))
    if (element != getElementTypeOrSelf(op->getOperand(index)))
      return false;
  return true;
}

} // namespace graphc::text
