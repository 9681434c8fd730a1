// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the operation of a call: literals get their types, results theirs, and
// errors of the operation are shown in words of the text.
#include "dialects/tfir/OperandSegments.h"
#include "lib/frontend/UniqueNames.h"
#include "lib/text/LiteralTypes.h"
#include "lib/text/OperandCounts.h"
#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"

using namespace mlir;

namespace graphc::text {

bool GraphBuilder::makeOperands(Call &call, SmallVectorImpl<Value> &values) {
  // Variables are read in the order of the text, before literals, whose types
  // may follow from them.
  for (auto &group : call.operands)
    for (Item &item : group)
      if (item.kind == Item::Kind::Variable) {
        Value value = readVariable(item, call.place);
        if (!value)
          return false;
        item = Item::of(value);
      }
  SmallVector<Type> types;
  for (const auto &group : call.operands)
    for (const Item &item : group)
      if (item.kind == Item::Kind::Values && !item.values.empty())
        types.push_back(item.values.front().getType());
  SmallVector<Literal> literals;
  for (auto [index, group] : llvm::enumerate(call.operands))
    for (const Item &item : group)
      if (item.isConstant())
        literals.push_back({item.constant, &call.signature->arguments[index]});
  SmallVector<Type> elements =
      literalElements(literals, types, session.context());
  size_t next = 0;
  for (auto &group : call.operands)
    for (Item &item : group) {
      Value value = materialize(item, call.place,
                                item.isConstant() ? elements[next++] : Type());
      if (!value)
        return false;
      values.push_back(value);
    }
  return true;
}

bool GraphBuilder::ruleTypes(const Call &call, ValueRange operands,
                             SmallVectorImpl<Type> &types) {
  const OpSignature &signature = *call.signature;
  auto symbol = [&]() -> StringRef {
    for (NamedAttribute attribute : call.attributes)
      if (attribute.getName() == StringRef(signature.ruleFrom))
        if (auto reference = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
          return reference.getValue();
    return "";
  };
  switch (signature.rule) {
  case ResultRule::None:
    return true;
  case ResultRule::ElementType:
    types.push_back(
        cast<RankedTensorType>(operands[0].getType()).clone(call.element));
    return true;
  case ResultRule::Shape:
    types.push_back(RankedTensorType::get(
        call.shape,
        operands.empty()
            ? b.getF32Type()
            : cast<RankedTensorType>(operands[0].getType()).getElementType()));
    return true;
  case ResultRule::Variable: {
    auto found = session.variables.find(symbol());
    if (found != session.variables.end()) {
      types.push_back(found->second.variable.types.front());
      return true;
    }
    error(call.place) << "'" << symbol() << "' is no variable"
                      << didYouMean(symbol(), knownNames());
    return false;
  }
  case ResultRule::Batch:
    for (const auto &[name, item] : session.globals)
      if (item.kind == Item::Kind::Dataset && item.symbol == symbol()) {
        types.append(item.types);
        return true;
      }
    error(call.place) << "'" << symbol() << "' is no dataset"
                      << didYouMean(symbol(), knownNames());
    return false;
  case ResultRule::Operands:
    for (auto [index, argument] : llvm::enumerate(signature.arguments))
      if (argument.name == signature.ruleFrom)
        for (const Item &item : call.operands[index])
          types.push_back(item.values.empty() ? Type()
                                              : item.values.front().getType());
    // Literals have become values only as operands of the operation.
    for (auto [type, operand] :
         llvm::zip(types, operands.take_back(types.size())))
      type = operand.getType();
    return true;
  }
  return true;
}

bool GraphBuilder::resultTypes(const Call &call, ValueRange operands,
                               const Wanted &wanted,
                               SmallVectorImpl<Type> &types) {
  const OpSignature &signature = *call.signature;
  if (!ruleTypes(call, operands, types))
    return false;
  bool isRuled = signature.rule != ResultRule::None;
  SmallVector<Type> written;
  for (const Declared &target : wanted.targets) {
    RankedTensorType targetType = target.type ? type(target.type) : nullptr;
    if (target.type && !targetType)
      return false;
    written.push_back(targetType);
  }
  auto name = RegisteredOperationName::lookup("tfir." + signature.name.str(),
                                              &session.context());
  bool isInferred = name && name->hasInterface<tfir::TypeInferable>();
  // As an operand a call stands for its first result.
  size_t named =
      isInferred ? std::max<size_t>(written.size(), 1) : written.size();
  size_t count = isRuled                     ? types.size()
                 : signature.variadicResults ? named
                                             : signature.results;
  types.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (i < written.size() && written[i])
      types[i] = written[i];
    // inferTypes() gives the real one.
    if (!types[i] && isInferred)
      types[i] = RankedTensorType::get({}, b.getF32Type());
    if (!types[i]) {
      error(call.place)
          << "the type of the result of " << signature.name
          << " does not follow from its operands; write it on the "
             "left side, as in 'y: f32[2, 3] = "
          << signature.name << "(...)'";
      return false;
    }
  }
  return true;
}

/// Name of an operand in calls; those of a variadic argument share its name.
static StringRef operandName(Operation *op, const OpSignature &signature,
                             size_t index) {
  const ArgumentSignature *argument = argumentOf(op, signature, index);
  return argument ? StringRef(argument->name) : StringRef("operand");
}

void GraphBuilder::report(Operation *op, StringRef message, StringRef written) {
  InFlightDiagnostic diagnostic = session.diagnostics.error(op->getLoc());
  const OpSignature &signature = *findOp(op->getName().stripDialect());
  std::string text = inWordsOfText(message);
  if (!written.empty() && StringRef(text).starts_with(signature.name))
    text.replace(0, signature.name.size(), written.split('(').first.str());
  // Constraints of the definitions count operands.
  for (size_t i = 0; i < op->getNumOperands(); ++i) {
    std::string number = "operand #" + std::to_string(i) + " ";
    if (size_t at = text.find(number); at != std::string::npos)
      text.replace(at, number.size(),
                   ("'" + operandName(op, signature, i) + "' ").str());
  }
  diagnostic << text;
  if (text.find("; cast") != std::string::npos)
    diagnostic << "(x, f32)";
  else if (text.find("float scalar") != std::string::npos)
    diagnostic << "; mean(x) and sum(x) are scalars";
  else if (text.find("expected") == std::string::npos &&
           text.find("; ") == std::string::npos)
    diagnostic << "; it is called as "
               << (written.empty() ? describe(signature) : written.str());
  for (auto [index, operand] : llvm::enumerate(op->getOperands()))
    diagnostic.attachNote(operand.getLoc())
        << "'" << operandName(op, signature, index) << "' is "
        << printType(cast<RankedTensorType>(operand.getType()))
        << ", computed here";
}

bool GraphBuilder::checkOp(Operation *op, const Wanted &wanted, bool isInferred,
                           StringRef written) {
  std::string message;
  bool good;
  {
    ScopedDiagnosticHandler handler(
        &session.context(), [&](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              message.empty())
            message = diagnostic.str();
          return success();
        });
    SmallVector<Type> types;
    auto inferable = dyn_cast<tfir::TypeInferable>(op);
    good = !inferable || succeeded(inferable.inferTypes(types));
    if (good && isInferred)
      for (auto [index, result, inferred] :
           llvm::enumerate(op->getResults(), types)) {
        bool isWritten =
            index < wanted.targets.size() && wanted.targets[index].type;
        if (!isWritten)
          result.setType(inferred);
      }
    good = good && succeeded(op->getName().verifyInvariants(op));
  }
  if (!good)
    report(op, message.empty() ? StringRef("does not fit") : message, written);
  return good;
}

void GraphBuilder::nameOp(Operation *op, const Wanted &wanted) {
  std::string name = wanted.name.str();
  if (name.empty() && (prefix.empty() || isa<tfir::ReadOp>(op)))
    return;
  if (name.empty())
    name = kindName(op);
  if (!wanted.isWhole || wanted.name.empty())
    name = prefix + name;
  tfir::setNodeName(op, b.getStringAttr(opNames.take(name)));
}

Item GraphBuilder::makeCall(Call &call, const Wanted &wanted) {
  SmallVector<Value> operands;
  SmallVector<Type> types;
  call.operands.resize(call.signature->arguments.size());
  if (!makeOperands(call, operands) ||
      !resultTypes(call, operands, wanted, types))
    return {};
  OperationState state(locationOf(call.place),
                       "tfir." + call.signature->name.str(), operands, types,
                       call.attributes);
  if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>()) {
    SmallVector<int32_t> sizes;
    for (auto [argument, group] :
         llvm::zip(call.signature->arguments, call.operands))
      if (argument.kind == ArgumentKind::Operand)
        sizes.push_back(group.size());
    state.addAttribute(tfir::kOperandSegments, b.getDenseI32ArrayAttr(sizes));
  }
  Operation *op = session.create(b, state);
  if (!op)
    return {};
  if (!checkOp(op, wanted, call.signature->rule == ResultRule::None,
               call.written)) {
    op->erase();
    return {};
  }
  if (colocation && !tfir::getColocationAttr(op))
    tfir::setColocation(op, colocation);
  if (call.name)
    tfir::setNodeName(op, b.getStringAttr(prefix + *call.name));
  else
    nameOp(op, wanted);
  forgetReads(op);
  return Item::of(op->getResults());
}

} // namespace graphc::text
