// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References of the names in a text, from its tree alone: also in funcs that
// nothing calls, and around errors.
#ifndef GRAPHC_TOOLS_GRAPHC_LSP_MARKS_H
#define GRAPHC_TOOLS_GRAPHC_LSP_MARKS_H

#include "lib/text/syntax/Tree.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace graphc::lsp {

enum class SymbolKind {
  Constant,
  Dataset,
  Variable,
  Func,
  Graph,
  Operand,
  Value
};

/// All bindings of a name in the module, or in one graph or func: they are
/// renamed together.
struct Symbol {
  std::string name; ///< without quotes
  SymbolKind kind;
  const text::TextStatement *container; ///< graph or func; null: the module
  const text::TextStatement *statement; ///< the first that binds it
};

enum class MarkKind {
  Definition,
  Use,
  Operation, ///< a call of an operation, or of what is none
  Attribute, ///< a call of an attribute such as `momentum`
  Argument,  ///< `name=` in a call
  Operator,
  Type, ///< name of an element type
};

/// A word of the source and its meaning.
struct Mark {
  llvm::StringRef text; ///< lies in the source
  MarkKind kind;
  unsigned symbol = 0;              ///< of a definition or use
  const text::Expr *expr = nullptr; ///< the call of an argument; the operator
};

/// Marks of one source, by place. Source and tree must outlive it.
class Marks {
public:
  explicit Marks(const text::Tree &tree);

  /// The mark that the offset of a place touches; null where there is none.
  const Mark *at(const char *place) const;
  /// A symbol of the module; null when there is none of the name.
  const Symbol *findGlobal(llvm::StringRef name) const;

  std::vector<Mark> marks;
  std::vector<Symbol> symbols;

private:
  using Scope = llvm::StringMap<unsigned>; ///< symbols by name

  void declare(llvm::ArrayRef<text::TextStatement *> body, Scope &scope,
               const text::TextStatement *container);
  unsigned declare(llvm::StringRef token, SymbolKind kind, Scope &scope,
                   const text::TextStatement *container,
                   const text::TextStatement &statement);
  void define(llvm::StringRef token, Scope &scope);
  void use(llvm::StringRef token, llvm::StringRef name);

  void visit(llvm::ArrayRef<text::TextStatement *> body);
  void visit(const text::TextStatement &statement);
  void visitBody(const text::TextStatement &statement);
  void visitResults(const text::TextStatement &statement);
  void visit(const text::Expr *expr);
  void visit(const text::TypeExpr *type);
  void visit(llvm::ArrayRef<text::Declared> list);
  void visitCall(const text::Expr *expr);
  void visitString(const text::Expr *expr);
  void visitNameInQuotes(const text::Expr *expr);

  const unsigned *lookup(llvm::StringRef name) const;

  Scope globals;
  llvm::DenseMap<const text::TextStatement *, Scope> locals;
  Scope *scope = nullptr; ///< of the graph or func that is visited
};

} // namespace graphc::lsp

#endif
