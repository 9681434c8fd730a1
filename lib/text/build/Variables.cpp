// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/build/Variables.h"

#include "dialects/tfir/Tfir.h"
#include "lib/text/Types.h"

using namespace mlir;

namespace graphc::text {

bool addSettings(BuildState &session, Evaluator &evaluator,
                 ArrayRef<Argument> settings, const OpSignature &signature,
                 OperationState &state) {
  auto *dialect = session.context().getLoadedDialect<tfir::TfirDialect>();
  bool good = true;
  for (const Argument &setting : settings) {
    for (tfir::NodeAttr common :
         {tfir::NodeAttr::Device, tfir::NodeAttr::Colocation}) {
      StringAttr name = dialect->getNodeAttrName(common);
      if (setting.name != name.getValue())
        continue;
      auto text = evaluator.string(setting.value, name.getValue());
      good &= text.has_value();
      if (text)
        state.addAttribute(name, StringAttr::get(&session.context(), *text));
    }
    if (setting.name == "device" || setting.name == "colocate_with")
      continue;
    const ArgumentSignature *argument = signature.find(setting.name);
    if (!argument) {
      std::vector<std::string> names = {"device", "colocate_with"};
      for (const ArgumentSignature &known : signature.arguments)
        if (known.optional)
          names.push_back(known.name.str());
      session.diagnostics.error(setting.value->place)
          << "a " << signature.name << " has no '" << setting.name << "'"
          << didYouMean(setting.name, names);
      good = false;
      continue;
    }
    bool isGood = true;
    Attribute attribute = evaluator.attribute(
        setting.value, *argument, "a " + signature.name.str(), isGood);
    good &= isGood;
    if (attribute)
      state.addAttribute(setting.name, attribute);
  }
  return good;
}

bool declare(BuildState &session, OpBuilder &builder, OperationState &state) {
  Operation *op = session.create(builder, state);
  if (!op)
    return false;
  std::string message;
  {
    ScopedDiagnosticHandler handler(&session.context(),
                                    [&](Diagnostic &diagnostic) {
                                      if (message.empty())
                                        message = diagnostic.str();
                                      return success();
                                    });
    if (succeeded(op->getName().verifyInvariants(op)))
      return true;
  }
  Location location = op->getLoc();
  op->erase();
  session.diagnostics.error(location) << inWordsOfText(message);
  return false;
}

namespace {

/// Declares one variable.
Item declareOne(BuildState &session, Evaluator &evaluator,
                const TextStatement &statement, const std::string &name,
                OpBuilder &builder, llvm::StringSet<> *declared) {
  RankedTensorType type = evaluator.type(statement.type);
  Location location = session.diagnostics.locate(statement.place);
  if (!type)
    return {};
  auto found = session.variables.find(name);
  bool isAgain = declared && !declared->insert(name).second;
  if (found != session.variables.end()) {
    const BuildState::Declaration &earlier = found->second;
    if (!isAgain && declared && earlier.statement == &statement &&
        earlier.variable.types.front() == type)
      return earlier.variable;
    InFlightDiagnostic error = session.diagnostics.error(statement.place);
    error << "the variable '" << name << "' is declared twice"
          << (isAgain
                  ? "; call the func, or unroll the loop, in a scope of its "
                    "own"
                  : "");
    if (earlier.variable.types.front() != type)
      error << ", here as " << printType(type) << ", before as "
            << printType(
                   cast<RankedTensorType>(earlier.variable.types.front()));
    error.attachNote(earlier.location) << "declared here";
    return {};
  }
  Attribute initial = evaluator.initialValue(statement.value, type);
  if (!initial)
    return {};
  OperationState state(location, tfir::VariableOp::getOperationName());
  Builder b(&session.context());
  state.addAttribute("sym_name", b.getStringAttr(name));
  state.addAttribute("type", TypeAttr::get(type));
  state.addAttribute("initial", initial);
  if (!addSettings(session, evaluator, statement.arguments, *findOp("variable"),
                   state))
    return {};
  if (!declare(session, builder, state))
    return {};
  Item item;
  item.kind = Item::Kind::Variable;
  item.symbol = b.getStringAttr(name);
  item.types.push_back(type);
  session.variables.insert(
      {name, BuildState::Declaration{&statement, item, location}});
  return item;
}

} // namespace

Item declareVariable(BuildState &session, Evaluator &evaluator,
                     const TextStatement &statement, StringRef prefix,
                     OpBuilder &builder, llvm::StringSet<> *declared) {
  std::string name = statement.name.str();
  if (statement.name.starts_with("\"")) {
    Expr quoted{
        ExprKind::String, statement.place, statement.name, {}, {}, {}, 0};
    std::optional<std::string> text =
        evaluator.string(&quoted, "name of a variable");
    if (!text)
      return {};
    name = *text;
  }
  name = prefix.str() + name;
  if (!statement.size)
    return declareOne(session, evaluator, statement, name, builder, declared);
  std::optional<int64_t> size =
      evaluator.integer(statement.size, "the number of variables");
  if (!size || *size < 0)
    return {};
  Item array;
  array.kind = Item::Kind::Array;
  if (!session.countWork(statement.place, static_cast<size_t>(*size)))
    return {};
  for (int64_t i = 0; i < *size; ++i) {
    if (!statement.index.empty())
      session.globals[statement.index] = Item::of(Constant::ofInteger(i));
    array.elements.push_back(declareOne(session, evaluator, statement,
                                        name + "_" + std::to_string(i), builder,
                                        declared));
    // The others would have the same error.
    if (array.elements.back().isError()) {
      array = Item();
      break;
    }
  }
  if (!statement.index.empty())
    session.globals.erase(statement.index);
  return array;
}

} // namespace graphc::text
