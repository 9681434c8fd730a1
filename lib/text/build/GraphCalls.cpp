// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of operations: from the arguments of a text to those of the signature.
#include "lib/frontend/TfNames.h"
#include "lib/text/Attributes.h"
#include "lib/text/FuncCalls.h"
#include "lib/text/TextCalls.h"
#include "lib/text/Types.h"
#include "lib/text/build/GraphBuilder.h"
#include "runtime/base/Suggest.h"

#include "llvm/ADT/StringSwitch.h"

#include <utility>

using namespace mlir;

namespace graphc::text {

Item GraphBuilder::evaluateCall(const Expr *expr, const Wanted &wanted) {
  if (const Item *item = lookup(expr->text)) {
    if (item->kind == Item::Kind::Func)
      return inlineFunc(expr, *item->func, wanted);
    if (!item->isError() && !findOp(expr->text))
      error(expr->place) << describe(*item) << " cannot be called";
    if (!findOp(expr->text))
      return {};
  }
  if (expr->text == "recompute")
    return makeRecompute(expr, wanted);
  if (expr->text == "custom_gradient")
    return makeCustomGradient(expr, wanted);
  if (expr->text == "case")
    return makeCase(expr, wanted);
  const OpSignature *signature = findOp(expr->text);
  if (!signature || signature->hasRegions) {
    if (findAttribute(expr->text))
      return Evaluator::evaluateCall(expr, wanted);
    const LibraryFunc *known = findLibraryFunc(expr->text);
    if (known && (frame->isLibrary || !known->isInternal))
      return inlineFunc(expr, session.library.get(*known, session.diagnostics),
                        wanted, /*isLibrary=*/true);
    return unknownCall(expr);
  }
  std::vector<std::vector<const Expr *>> slots(signature->arguments.size());
  Call call(signature, expr->place);
  call.operands.resize(signature->arguments.size());
  if (!matchArguments(expr, *signature, slots, call) || !fillCall(slots, call))
    return {};
  return makeCall(call, wanted);
}

std::string inWordsOfText(const TfName &row, StringRef name) {
  std::string text = ("TensorFlow's '" + name + "' ").str();
  // `%loss using #tfir.adam<...>` is `minimize(loss, adam(...))`.
  auto [loss, optimizer] = row.hint.split(" using ");
  if (std::string call = printCallOf(optimizer); !call.empty())
    return text + "is 'minimize(loss, " + call + ")' here";
  text += row.here.empty() ? "is not there yet"
                           : "is '" + inWordsOfText(row.here) + "' here";
  std::string hint;
  for (char c : inWordsOfText(row.hint))
    if (c != '{' && c != '}' && c != '%')
      hint += c;
  return hint.empty() ? text : text + ": " + hint;
}

Item GraphBuilder::unknownCall(const Expr *expr) {
  InFlightDiagnostic diagnostic = error(expr->place);
  StringRef loop = llvm::StringSwitch<StringRef>(expr->text)
                       .Case("scan", "x in scan(xs, carry=[h], stack=[y])")
                       .Case("repeat", "i in repeat(8, carry=[h])")
                       .Case("while", "i in while(x > 1, carry=[x], limit=50)")
                       .Default("");
  if (!loop.empty()) {
    diagnostic << "'" << expr->text
               << "' is no operation but a loop; write 'for " << loop
               << " { ... }'";
    return {};
  }
  if (expr->text == "cond") {
    diagnostic << "'cond' is no operation but a choice; write 'if cond(x > 0) "
                  "{ ... } else { ... }'";
    return {};
  }
  diagnostic << "there is no operation '" << expr->text << "'";
  std::string name = tfBaseName(expr->text);
  std::vector<std::string> known;
  for (const OpSignature &op : allOps())
    if (!op.hasRegions || takesFunc(op))
      known.push_back(op.name.str());
  for (auto &[global, item] : session.globals)
    if (item.kind == Item::Kind::Func)
      known.push_back(global.str());
  for (const TextCall &call : textCalls())
    known.push_back(call.name.str());
  for (const LibraryFunc &func : libraryFuncs())
    if (!func.isInternal)
      known.push_back(func.name);
  if (std::optional<TfName> row = findTfName(name)) {
    diagnostic << "; " << inWordsOfText(*row, name);
  } else if (llvm::is_contained(known, name)) {
    diagnostic << "; it is '" << name << "' here";
  } else {
    llvm::sort(known);
    std::string nearest = didYouMean(expr->text, known);
    diagnostic << (nearest.empty() ? "; docs/ops.md lists all" : nearest);
  }
  return {};
}

bool GraphBuilder::addCommonArgument(const Argument &argument, Call &call) {
  std::optional<std::string> text = string(argument.value, argument.name);
  if (!text)
    return false;
  if (argument.name == "name") {
    call.name = *text;
    return true;
  }
  auto *dialect = session.context().getLoadedDialect<tfir::TfirDialect>();
  StringAttr name = dialect->getNodeAttrName(argument.name == "device"
                                                 ? tfir::NodeAttr::Device
                                                 : tfir::NodeAttr::Colocation);
  call.attributes.push_back({name, b.getStringAttr(*text)});
  return true;
}

bool GraphBuilder::matchArguments(const Expr *expr,
                                  const OpSignature &signature,
                                  std::vector<std::vector<const Expr *>> &slots,
                                  Call &call) {
  size_t next = 0; // of the signature, for arguments without a name
  for (const Argument &argument : expr->arguments) {
    size_t at = next;
    if (!argument.name.empty()) {
      const ArgumentSignature *known = signature.find(argument.name);
      bool isCommon = argument.name == "name" || argument.name == "device" ||
                      argument.name == "colocate_with";
      if (!known && isCommon) {
        if (!addCommonArgument(argument, call))
          return false;
        continue;
      }
      if (!known) {
        std::vector<std::string> names = {"name", "device", "colocate_with"};
        for (const ArgumentSignature &each : signature.arguments)
          names.push_back(each.name.str());
        error(argument.value->place)
            << signature.name << " has no argument '" << argument.name << "'"
            << didYouMean(argument.name, names) << "; it is called as "
            << describe(signature);
        return false;
      }
      at = known - signature.arguments.data();
    }
    if (at >= signature.arguments.size()) {
      error(argument.value->place)
          << "one argument too many; it is called as " << describe(signature);
      return false;
    }
    const ArgumentSignature &taken = signature.arguments[at];
    if (!slots[at].empty() && !(argument.name.empty() && taken.variadic)) {
      error(argument.value->place)
          << "'" << taken.name << "' of " << signature.name
          << " is given twice; it is called as " << describe(signature);
      return false;
    }
    // A list stands for all operands of a variadic one.
    bool isList = taken.variadic && argument.value->kind == ExprKind::List &&
                  slots[at].empty();
    if (isList)
      llvm::append_range(slots[at], argument.value->operands);
    else
      slots[at].push_back(argument.value);
    // One that stands before others takes a single operand, or a list.
    bool isLast = at + 1 == signature.arguments.size() ||
                  signature.arguments[at + 1].kind != ArgumentKind::Operand;
    if (argument.name.empty())
      next = taken.variadic && !isList && isLast ? at : at + 1;
  }
  for (auto [index, argument] : llvm::enumerate(signature.arguments))
    if (slots[index].empty() && !argument.optional && !argument.variadic) {
      error(expr->place) << signature.name << " needs '" << argument.name
                         << "', such as " << argument.name << "="
                         << exampleOf(argument.kind) << "; it is called as "
                         << describe(signature);
      return false;
    }
  return true;
}

bool GraphBuilder::fillCall(const std::vector<std::vector<const Expr *>> &slots,
                            Call &call) {
  bool good = true;
  for (auto [index, argument] : llvm::enumerate(call.signature->arguments)) {
    if (slots[index].empty())
      continue;
    const Expr *first = slots[index].front();
    switch (argument.kind) {
    case ArgumentKind::Operand:
      for (const Expr *expr : slots[index]) {
        Item item = evaluate(expr);
        good &= !item.isError();
        // A list of values, or an array of variables, in place of its elements.
        bool isList =
            item.kind == Item::Kind::List || item.kind == Item::Kind::Array;
        if (argument.variadic && isList)
          llvm::append_range(call.operands[index], item.elements);
        else
          call.operands[index].push_back(std::move(item));
      }
      break;
    case ArgumentKind::ElementType: {
      bool isUnknown = first->kind == ExprKind::Name && !lookup(first->text) &&
                       !elementType(first->text, session.context());
      Item item = isUnknown ? Item() : evaluate(first);
      if (isUnknown)
        element(first->text, first->place);
      if (item.kind == Item::Kind::Element) {
        call.element = item.types.front();
        break;
      }
      good = false;
      if (!item.isError())
        error(first->place)
            << "expected an element type such as f32, but this is "
            << describe(item);
      break;
    }
    case ArgumentKind::Shape: {
      auto sizes = shape(first);
      good &= sizes.has_value();
      if (sizes)
        call.shape = *sizes;
      break;
    }
    default: {
      bool isGood = true;
      if (Attribute value =
              attribute(first, argument, call.signature->name, isGood))
        call.attributes.push_back({b.getStringAttr(argument.name), value});
      good &= isGood;
    }
    }
  }
  return good;
}

//===-- Funcs -------------------------------------------------------------===//

/// "f(x, w, rate=)": the last one may be left out.
static std::string describeFunc(StringRef name, const TextStatement &func) {
  std::string text = name.str() + "(";
  StringRef separator;
  for (const Declared &operand : func.declared) {
    text += (separator + operand.name + (operand.value ? "=" : "")).str();
    separator = ", ";
  }
  return text + ")";
}

bool GraphBuilder::bindOperands(const Expr *expr, const TextStatement &func,
                                ArrayRef<Item> first,
                                ArrayRef<Argument> arguments, Frame &inner,
                                std::optional<std::string> &name) {
  inner.caller = locationOf(expr->place);
  // The call may be recompute(f, x), whose text is not the name of the func.
  StringRef called = inner.isLibrary ? StringRef(expr->text) : func.name;
  inner.isLibrary = inner.isLibrary || frame->isLibrary;
  std::vector<const Expr *> given(func.declared.size());
  if (first.size() > given.size()) {
    InFlightDiagnostic diagnostic = error(expr->place);
    diagnostic << "'" << called << "' takes " << given.size()
               << (given.size() == 1 ? " operand" : " operands")
               << ", but is given " << first.size() << "; it is called as "
               << describeFunc(called, func);
    diagnostic.attachNote(session.diagnostics.locate(func.place))
        << "declared here";
    return false;
  }
  for (size_t i = 0; i < first.size(); ++i)
    given[i] = expr;
  size_t next = first.size();
  for (const Argument &argument : arguments) {
    size_t at = next;
    if (argument.name.empty()) {
      ++next;
    } else {
      for (at = 0; at < given.size(); ++at)
        if (func.declared[at].name == argument.name)
          break;
      if (at == given.size() && argument.name == "name") {
        std::optional<std::string> text = string(argument.value, "a name");
        if (!text)
          return false;
        name = *text;
        continue;
      }
    }
    if (at >= given.size() || given[at]) {
      InFlightDiagnostic diagnostic = error(argument.value->place);
      diagnostic << "'" << called << "' "
                 << (at < given.size() ? "is given this operand twice"
                                       : "has no such operand")
                 << "; it is called as " << describeFunc(called, func);
      if (!inner.isLibrary)
        diagnostic.attachNote(session.diagnostics.locate(func.place))
            << "declared here";
      return false;
    }
    given[at] = argument.value;
  }
  for (auto [index, operand, value] : llvm::enumerate(func.declared, given)) {
    if (!value && operand.value) {
      // Operands before it are known to the value.
      Frame *outer = std::exchange(frame, &inner);
      Item item = checkType(operand, evaluate(operand.value));
      frame = outer;
      if (item.isError())
        return false;
      session.observeName(operand.place, item);
      inner.names.insert({operand.name, std::move(item)});
      continue;
    }
    if (!value) {
      InFlightDiagnostic diagnostic = error(expr->place);
      diagnostic << "'" << called << "' needs the operand '" << operand.name
                 << "'; it is called as " << describeFunc(called, func);
      if (!inner.isLibrary)
        diagnostic.attachNote(session.diagnostics.locate(operand.place))
            << "declared here";
      return false;
    }
    Item item = index < first.size() ? first[index] : evaluate(value);
    if (item.isError())
      return false;
    item = checkType(operand, std::move(item));
    session.observeName(operand.place, item);
    inner.names.insert({operand.name, std::move(item)});
  }
  return true;
}

Item GraphBuilder::inlineFunc(const Expr *expr, const TextStatement &func,
                              const Wanted &wanted, bool isLibrary) {
  Frame inner;
  inner.isLibrary = isLibrary;
  std::optional<std::string> given;
  if (!bindOperands(expr, func, {}, expr->arguments, inner, given))
    return {};
  return runFunc(expr, func, inner, given, wanted);
}

Item GraphBuilder::runFunc(const Expr *expr, const TextStatement &func,
                           Frame &inner,
                           const std::optional<std::string> &given,
                           const Wanted &wanted) {
  constexpr unsigned kMaxCalls = 64;
  if (calls >= kMaxCalls) {
    error(expr->place) << "funcs call each other more than " << kMaxCalls
                       << " deep; if '" << func.name
                       << "' calls itself, write a loop by 'for'";
    return {};
  }
  std::string outerPrefix = prefix;
  // What a func returns has the name of the call, its scope is one in that.
  bool isReturned = wanted.isWhole && !wanted.name.empty();
  StringRef name = given                               ? StringRef(*given)
                   : isReturned || wanted.name.empty() ? func.name
                                                       : wanted.name;
  // Without a name of its own it is within the scope around.
  if (name.empty()) {
    inner.resultName = isReturned ? wanted.name.str() : "";
  } else {
    std::string whole = scopeNames.take(prefix + name.str());
    inner.resultName = isReturned ? wanted.name.str() : whole;
    prefix = whole + "/";
  }
  Frame *outer = frame;
  frame = &inner;
  ++calls;
  run(func.body);
  --calls;
  frame = outer;
  prefix = outerPrefix;
  if (inner.returned.size() == 1)
    return inner.returned.front();
  Item results = Item::of(ValueRange());
  for (Item &item : inner.returned) {
    if (item.isError())
      return {};
    Value value = materialize(item, expr->place);
    if (!value)
      return {};
    results.values.push_back(value);
  }
  return results;
}

} // namespace graphc::text
