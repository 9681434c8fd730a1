// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Syntax tree of a source. Nodes lie in an arena and refer to the source's
// text, which outlives them; a place is a pointer into it.
#ifndef GRAPHC_LIB_TEXT_SYNTAX_TREE_H
#define GRAPHC_LIB_TEXT_SYNTAX_TREE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"

#include <vector>

namespace graphc::text {

struct Expr;

/// `name=value` or `value` in a call.
struct Argument {
  llvm::StringRef name; ///< empty for a positional one
  Expr *value;
};

/// One part of `x[2:5, ..., -1]`.
struct Index {
  enum class Kind { Single, Range, Ellipsis } kind;
  const char *place;
  Expr *begin; ///< of a single one, its place; null: from the first on
  Expr *end;   ///< null: to the last
};

enum class ExprKind {
  Integer,
  Float,
  String,
  Raw,       ///< MLIR's form of an attribute, `text` between the backquotes
  Open,      ///< ?, an open dimension
  Name,      ///< also true, false, inf, nan, forever
  List,      ///< operands are its elements
  Call,      ///< `text`(arguments)
  Unary,     ///< `text` is the operator
  Binary,    ///< `text` is the operator
  Subscript, ///< operands[0] [indices]
  Error,     ///< reported
};

struct Expr {
  ExprKind kind;
  const char *place; ///< of the operator, of a binary one
  llvm::StringRef text;
  llvm::ArrayRef<Expr *> operands;
  llvm::ArrayRef<Argument> arguments;
  llvm::ArrayRef<Index> indices;
  unsigned depth; ///< expressions in each other
};

/// `f32[?, 10]`; a scalar has no brackets.
struct TypeExpr {
  const char *place;
  llvm::StringRef element;
  llvm::ArrayRef<Expr *> dims; ///< ExprKind::Open for an open one
};

/// A name with an optional type: a target of an assignment, a feed, a field.
struct Declared {
  const char *place;
  llvm::StringRef name;
  TypeExpr *type;        ///< may be null
  Expr *value = nullptr; ///< of an operand of the library's funcs
};

enum class StatementKind {
  Import,   ///< value is a string
  Let,      ///< name = value
  Dataset,  ///< name(declared...) arguments...
  Variable, ///< name[dim]: type = value, arguments...
  Func,     ///< name(declared...) { body }
  Graph,    ///< name(declared...) -> (results...) { body }
  For,      ///< name in value..end { body }
  If,       ///< value { body } else { otherwise }
  Scope,    ///< value { body }
  Device,   ///< value -> (results...) { body }
  Colocate, ///< value { body }
  Average,  ///< { body }
  Assign,   ///< declared... = value
  Update,   ///< operands: the variable; text is the operator, value
  Call,     ///< value
  Return,   ///< arguments...
};

struct TextStatement {
  TextStatement(StatementKind kind, const char *place)
      : kind(kind), place(place) {}

  StatementKind kind;
  const char *place;
  llvm::StringRef name;
  llvm::StringRef text; ///< operator of an update
  Expr *value = nullptr;
  Expr *end = nullptr;
  Expr *target = nullptr; ///< of an update
  TypeExpr *type = nullptr;
  llvm::StringRef index; ///< of an array of variables, may be empty
  Expr *size = nullptr;  ///< of an array of variables
  bool hasResults = false;
  llvm::ArrayRef<Declared> declared;
  llvm::ArrayRef<Declared> results;
  llvm::ArrayRef<Argument> arguments;
  llvm::ArrayRef<TextStatement *> body;
  llvm::ArrayRef<TextStatement *> otherwise;
};

/// A parsed source and its nodes.
struct Tree {
  llvm::BumpPtrAllocator arena;
  llvm::StringRef name; ///< of the module, may be empty or a string token
  std::vector<TextStatement *> statements;

  template <typename T> llvm::ArrayRef<T> copy(llvm::ArrayRef<T> list) {
    return list.copy(arena);
  }
};

} // namespace graphc::text

#endif
