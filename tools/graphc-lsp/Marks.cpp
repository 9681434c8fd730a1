// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-lsp/Marks.h"

#include "lib/text/Signatures.h"
#include "lib/text/syntax/Lexer.h"

#include "llvm/ADT/STLExtras.h"

using namespace graphc::text;
using llvm::ArrayRef;
using llvm::StringRef;

namespace graphc::lsp {

Marks::Marks(const Tree &tree) {
  declare(tree.statements, globals, nullptr);
  visit(tree.statements);
  llvm::sort(marks, [](const Mark &a, const Mark &b) {
    return std::pair(a.text.data(), a.kind) < std::pair(b.text.data(), b.kind);
  });
  llvm::erase_if(marks, [](const Mark &mark) { return mark.text.empty(); });
}

const Mark *Marks::at(const char *place) const {
  auto behind =
      llvm::upper_bound(marks, place, [](const char *p, const Mark &m) {
        return p < m.text.data();
      });
  if (behind == marks.begin() || place > (behind - 1)->text.end())
    return nullptr;
  return &*(behind - 1);
}

const Symbol *Marks::findGlobal(StringRef name) const {
  auto found = globals.find(name);
  return found == globals.end() ? nullptr : &symbols[found->second];
}

//===-- Declarations ------------------------------------------------------===//

unsigned Marks::declare(StringRef token, SymbolKind kind, Scope &scope,
                        const TextStatement *container,
                        const TextStatement &statement) {
  std::string name = nameIn(token);
  auto [entry, isNew] = scope.try_emplace(name, symbols.size());
  if (isNew)
    symbols.push_back({name, kind, container, &statement});
  return entry->second;
}

void Marks::declare(ArrayRef<TextStatement *> body, Scope &scope,
                    const TextStatement *container) {
  for (const TextStatement *statement : body) {
    auto add = [&](StringRef token, SymbolKind kind) {
      if (!token.empty())
        declare(token, kind, scope, container, *statement);
    };
    switch (statement->kind) {
    case StatementKind::Let:
    case StatementKind::For:
      add(statement->name, SymbolKind::Constant);
      break;
    case StatementKind::Dataset:
      add(statement->name, SymbolKind::Dataset);
      break;
    case StatementKind::Variable:
      add(statement->name, SymbolKind::Variable);
      add(statement->index, SymbolKind::Constant);
      break;
    case StatementKind::Func:
    case StatementKind::Graph: {
      bool isFunc = statement->kind == StatementKind::Func;
      add(statement->name, isFunc ? SymbolKind::Func : SymbolKind::Graph);
      Scope &inner = locals[statement];
      for (const Declared &operand : statement->declared)
        if (!operand.name.empty())
          declare(operand.name, SymbolKind::Operand, inner, statement,
                  *statement);
      declare(statement->body, inner, statement);
      continue;
    }
    case StatementKind::Assign:
      for (const Declared &target : statement->declared)
        add(target.name, SymbolKind::Value);
      break;
    default:
      break;
    }
    declare(statement->body, scope, container);
    declare(statement->otherwise, scope, container);
  }
}

//===-- Uses --------------------------------------------------------------===//

const unsigned *Marks::lookup(StringRef name) const {
  for (const Scope *each : {static_cast<const Scope *>(scope), &globals})
    if (each)
      if (auto found = each->find(name); found != each->end())
        return &found->second;
  return nullptr;
}

void Marks::define(StringRef token, Scope &scope) {
  if (auto found = scope.find(nameIn(token)); found != scope.end())
    marks.push_back({token, MarkKind::Definition, found->second});
}

void Marks::use(StringRef token, StringRef name) {
  if (const unsigned *symbol = lookup(name))
    marks.push_back({token, MarkKind::Use, *symbol});
}

void Marks::visit(ArrayRef<TextStatement *> body) {
  for (const TextStatement *statement : body)
    visit(*statement);
}

void Marks::visit(ArrayRef<Declared> list) {
  for (const Declared &each : list) {
    define(each.name, scope ? *scope : globals);
    visit(each.type);
  }
}

void Marks::visit(const TextStatement &statement) {
  Scope &here = scope ? *scope : globals;
  switch (statement.kind) {
  case StatementKind::Func:
  case StatementKind::Graph:
    define(statement.name, globals);
    return visitBody(statement);
  case StatementKind::Dataset:
    define(statement.name, globals);
    for (const Declared &field : statement.declared)
      visit(field.type);
    break;
  case StatementKind::Variable:
    define(statement.name, here);
    define(statement.index, here);
    break;
  case StatementKind::Let:
  case StatementKind::For:
    define(statement.name, here);
    break;
  case StatementKind::Assign:
    visit(statement.declared);
    break;
  case StatementKind::Colocate:
    visitNameInQuotes(statement.value);
    break;
  default:
    break;
  }
  visit(statement.size);
  visit(statement.type);
  if (statement.kind != StatementKind::Call)
    visit(statement.target); // the same as the value of a call
  visit(statement.value);
  visit(statement.end);
  visitResults(statement);
  for (const Argument &argument : statement.arguments) {
    if (!argument.name.empty())
      marks.push_back({argument.name, MarkKind::Argument});
    if (argument.name == "colocate_with")
      visitNameInQuotes(argument.value);
    visit(argument.value);
  }
  visit(statement.body);
  visit(statement.otherwise);
}

void Marks::visitBody(const TextStatement &statement) {
  Scope *outer = scope;
  scope = &locals[&statement];
  visit(statement.declared);
  visitResults(statement);
  visit(statement.body);
  scope = outer;
}

void Marks::visitResults(const TextStatement &statement) {
  for (const Declared &result : statement.results) {
    use(result.name, nameIn(result.name));
    visit(result.type);
  }
}

void Marks::visit(const TypeExpr *type) {
  if (!type)
    return;
  marks.push_back({type->element, MarkKind::Type});
  for (const Expr *dim : type->dims)
    visit(dim);
}

void Marks::visit(const Expr *expr) {
  if (!expr)
    return;
  switch (expr->kind) {
  case ExprKind::Name:
    use(expr->text, expr->text);
    break;
  case ExprKind::String:
    visitString(expr);
    break;
  case ExprKind::Call:
    visitCall(expr);
    break;
  case ExprKind::Unary:
  case ExprKind::Binary:
    marks.push_back({expr->text, MarkKind::Operator, 0, expr});
    break;
  default:
    break;
  }
  for (const Expr *operand : expr->operands)
    visit(operand);
  for (const Argument &argument : expr->arguments)
    visit(argument.value);
  for (const Index &index : expr->indices) {
    visit(index.begin);
    visit(index.end);
  }
}

void Marks::visitCall(const Expr *expr) {
  const unsigned *symbol = lookup(expr->text);
  bool isFunc = symbol && symbols[*symbol].kind == SymbolKind::Func;
  const Scope *operands = nullptr;
  if (isFunc) {
    marks.push_back({expr->text, MarkKind::Use, *symbol, expr});
    auto found = locals.find(symbols[*symbol].statement);
    operands = found == locals.end() ? nullptr : &found->second;
  } else {
    bool isAttribute = !findOp(expr->text) && findAttribute(expr->text);
    marks.push_back({expr->text,
                     isAttribute ? MarkKind::Attribute : MarkKind::Operation, 0,
                     expr});
  }
  for (const Argument &argument : expr->arguments) {
    if (argument.name == "colocate_with")
      visitNameInQuotes(argument.value);
    if (argument.name.empty())
      continue;
    if (operands)
      if (auto found = operands->find(argument.name);
          found != operands->end()) {
        marks.push_back({argument.name, MarkKind::Use, found->second});
        continue;
      }
    marks.push_back({argument.name, MarkKind::Argument, 0, expr});
  }
}

void Marks::visitString(const Expr *expr) {
  StringRef text = expr->text;
  for (size_t i = text.find('{'); i != StringRef::npos; i = text.find('{', i)) {
    if (text.substr(i + 1).starts_with("{")) {
      i += 2;
      continue;
    }
    StringRef name = text.slice(i + 1, text.find('}', i)).trim();
    use(name, name);
    ++i;
  }
}

void Marks::visitNameInQuotes(const Expr *expr) {
  if (!expr || expr->kind != ExprKind::String || expr->text.size() < 2)
    return;
  StringRef name = expr->text.drop_front().drop_back();
  auto found = globals.find(name);
  if (found != globals.end() &&
      symbols[found->second].kind == SymbolKind::Variable)
    marks.push_back({name, MarkKind::Use, found->second});
}

} // namespace graphc::lsp
