// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/tfir/CallForm.h"

#include "dialects/tfir/OperandSegments.h"
#include "dialects/tfir/Tfir.h"

using namespace mlir;

namespace graphc::tfir {

namespace {

/// Lists such as `[2, 2]` as the dense arrays that operations have, in
/// attributes of the definition.
void convertLists(OperationName name, NamedAttrList &attributes) {
  for (NamedAttribute &attribute : attributes) {
    auto list = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!list || list.empty() ||
        !llvm::is_contained(name.getAttributeNames(), attribute.getName()))
      continue;
    SmallVector<int64_t> values;
    for (Attribute element : list)
      if (auto integer = dyn_cast<IntegerAttr>(element);
          integer && integer.getType().isSignlessInteger(64))
        values.push_back(integer.getInt());
    if (values.size() == list.size())
      attribute.setValue(DenseI64ArrayAttr::get(list.getContext(), values));
  }
}

/// The number of results of an operation's definition; nothing when it may
/// vary.
std::optional<unsigned> resultCount(OperationName name) {
  if (name.hasTrait<OpTrait::OneResult>())
    return 1;
  if (name.hasTrait<OpTrait::NResults<2>::Impl>())
    return 2;
  if (name.hasTrait<OpTrait::NResults<3>::Impl>())
    return 3;
  return std::nullopt;
}

/// True when the definition takes so many operands: only then they may be read
/// by name.
bool takesOperands(OperationName name, size_t count) {
  switch (count) {
  case 0:
    return name.hasTrait<OpTrait::ZeroOperands>();
  case 1:
    if (name.hasTrait<OpTrait::OneOperand>())
      return true;
    break;
  case 2:
    if (name.hasTrait<OpTrait::NOperands<2>::Impl>())
      return true;
    break;
  case 3:
    if (name.hasTrait<OpTrait::NOperands<3>::Impl>())
      return true;
    break;
  case 4:
    if (name.hasTrait<OpTrait::NOperands<4>::Impl>())
      return true;
    break;
  default:
    break;
  }
  return name.hasTrait<OpTrait::VariadicOperands>() ||
         name.hasTrait<OpTrait::AtLeastNOperands<1>::Impl>();
}

/// The error of an attribute that the op needs and has not; empty: it has all.
/// The results of `op` need not be right yet.
std::string missingAttribute(Operation *op) {
  std::string missing;
  ScopedDiagnosticHandler handler(op->getContext(), [&](Diagnostic &error) {
    std::string text = error.str();
    size_t at = text.find("requires attribute");
    if (missing.empty() && at != std::string::npos)
      missing = text.substr(at);
    return success();
  });
  // Looks at attributes first, and at results after them.
  (void)op->getName().verifyInvariants(op);
  return missing;
}

/// True when the bytes of a tensor can be counted, so that sizes of others can
/// be computed from its own. The verifier refuses those that cannot.
bool isCountable(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  constexpr int64_t kElementBytes = 8; // of the widest type
  int64_t bytes = kElementBytes;
  return llvm::none_of(tensor.getShape(), [&](int64_t size) {
    return !ShapedType::isDynamic(size) &&
           llvm::MulOverflow(bytes, std::max<int64_t>(1, size), bytes);
  });
}

/// Adds the types of results that are not written.
ParseResult inferResults(OpAsmParser &parser, OperationState &state) {
  std::optional<unsigned> count = resultCount(state.name);
  if (!count || !state.name.hasInterface<TypeInferable>())
    return parser.emitError(parser.getNameLoc(),
                            "expected '->' and the types of the results, which "
                            "do not follow from the operands here");
  SmallVector<Type> types(
      *count, RankedTensorType::get({}, parser.getBuilder().getF32Type()));
  // Other numbers of operands are the verifier's error.
  bool areTensors = llvm::all_of(state.operands, [](Value operand) {
    return isCountable(operand.getType());
  });
  if (areTensors && takesOperands(state.name, state.operands.size())) {
    OperationState probe(state.location, state.name, state.operands, types,
                         state.attributes.getAttrs());
    Operation *op = Operation::create(probe);
    types.clear();
    std::string missing = missingAttribute(op);
    LogicalResult inferred =
        missing.empty() ? cast<TypeInferable>(op).inferTypes(types) : failure();
    op->destroy();
    if (!missing.empty())
      return parser.emitError(parser.getNameLoc(), missing);
    if (failed(inferred))
      return failure();
  }
  state.addTypes(types);
  return success();
}

ParseResult parseTypes(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  if (succeeded(parser.parseOptionalRParen()))
    return success();
  return failure(parser.parseTypeList(types) || parser.parseRParen());
}

} // namespace

ParseResult parseCallForm(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand, 4> operands;
  SMLoc operandsPlace = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  SMLoc attributesPlace = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  convertLists(state.name, state.attributes);
  auto emitError = [&] {
    return parser.emitError(attributesPlace)
           << "'" << state.name.getStringRef() << "' op ";
  };
  if (failed(state.name.verifyInherentAttrs(state.attributes, emitError)) ||
      parser.parseColon())
    return failure();
  if (failed(parser.parseOptionalLParen())) {
    // An alias of a function type, or an error as for one.
    FunctionType type;
    if (parser.parseType(type))
      return failure();
    state.addTypes(type.getResults());
    return parser.resolveOperands(operands, type.getInputs(), operandsPlace,
                                  state.operands);
  }
  SmallVector<Type> operandTypes, resultTypes;
  if (parseTypes(parser, operandTypes))
    return failure();
  bool hasResults = succeeded(parser.parseOptionalArrow());
  if (hasResults) {
    if (succeeded(parser.parseOptionalLParen())) {
      if (parseTypes(parser, resultTypes))
        return failure();
    } else if (parser.parseType(resultTypes.emplace_back())) {
      return failure();
    }
    state.addTypes(resultTypes);
  }
  if (parser.resolveOperands(operands, operandTypes, operandsPlace,
                             state.operands))
    return failure();
  return hasResults ? success() : inferResults(parser, state);
}

void printCallForm(Operation *op, DictionaryAttr defaults,
                   OpAsmPrinter &printer) {
  SmallVector<StringRef> usual;
  if (defaults)
    for (NamedAttribute attribute : defaults)
      if (op->getAttr(attribute.getName()) == attribute.getValue())
        usual.push_back(attribute.getName());
  // The number of operands tells which of those that may be left out are there.
  usual.push_back(kOperandSegments);
  printer << ' ' << op->getOperands();
  printer.printOptionalAttrDict(op->getAttrs(), usual);
  printer << " : ";
  printer.printFunctionalType(op->getOperandTypes(), op->getResultTypes());
}

} // namespace graphc::tfir
