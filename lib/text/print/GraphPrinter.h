// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the operations of a graph as statements.
#ifndef GRAPHC_LIB_TEXT_PRINT_GRAPHPRINTER_H
#define GRAPHC_LIB_TEXT_PRINT_GRAPHPRINTER_H

#include "dialects/tfir/Tfir.h"
#include "lib/text/Signatures.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace graphc::tfir {
class AssignRowsOp;
class CustomGradientOp;
class RecomputeOp;
class ScanOp;
class WhileOp;
} // namespace graphc::tfir

namespace graphc::text {

/// Levels of operators, the loosest first: a higher one needs no brackets in a
/// lower one.
enum class Precedence {
  Or,
  And,
  Not,
  Compare,
  Sum,
  Product,
  Sign,
  Power,
  Atom
};

/// Attributes that an operation of the kind has by default.
mlir::DictionaryAttr defaultsOf(mlir::Operation *op);

/// Prints one graph. Keeps the order of operations: the parser makes those of
/// an expression in the order operands, variables that are read, literals,
/// operation, so that an operation may stand inside of its only user where
/// nothing else comes between.
class GraphPrinter {
public:
  /// `globals`: the names that the text declares outside of graphs.
  /// `bodies` counts the funcs that all graphs print.
  GraphPrinter(const llvm::StringSet<> &globals, unsigned &bodies)
      : globals(globals), bodies(bodies) {}

  mlir::LogicalResult print(tfir::GraphOp graph);

  std::string text;
  std::string funcs; ///< that the text calls

private:
  /// Longer expressions are statements of their own.
  static constexpr size_t kLongestInside = 72;

  struct Expression {
    std::string text;
    Precedence precedence = Precedence::Atom;
  };
  /// An operation that is printed, but not yet a statement.
  struct Pending {
    mlir::Operation *op;
    Expression expression;
  };

  mlir::LogicalResult printBlock(mlir::Block &block);
  mlir::LogicalResult printOp(mlir::Operation *op);
  mlir::LogicalResult printScope(tfir::DeviceOp scope);
  mlir::LogicalResult printLoop(tfir::ScanOp loop);
  mlir::LogicalResult printWhile(tfir::WhileOp loop);
  mlir::FailureOr<std::string> printCondition(tfir::WhileOp loop);
  mlir::FailureOr<std::string> commonArguments(mlir::Operation *op);
  /// A tfir.if, or a tfir.cond, whose bodies have arguments.
  mlir::LogicalResult printChoice(mlir::Operation *choice);
  mlir::LogicalResult printRecompute(tfir::RecomputeOp op);
  mlir::LogicalResult printCustomGradient(tfir::CustomGradientOp op);
  mlir::FailureOr<std::string> printFunc(mlir::Region &body,
                                         llvm::StringRef kind);
  void printNext(llvm::ArrayRef<std::string> carried, mlir::ValueRange values);
  mlir::FailureOr<Expression> printExpression(mlir::Operation *op);
  mlir::FailureOr<Expression> printCall(mlir::Operation *op,
                                        const OpSignature &signature,
                                        llvm::ArrayRef<Expression> operands,
                                        bool isBound);
  std::optional<Expression> printOperator(mlir::Operation *op,
                                          llvm::ArrayRef<Expression> operands);
  std::optional<Expression> printSlice(mlir::Operation *op,
                                       llvm::ArrayRef<Expression> operands);
  std::optional<std::string>
  printRowUpdate(tfir::AssignRowsOp op, llvm::ArrayRef<Expression> operands);
  std::optional<std::string> printUpdate(mlir::Operation *op,
                                         llvm::ArrayRef<Expression> operands);
  llvm::SmallVector<Expression> takeOperands(mlir::Operation *op);
  bool isLiteral(mlir::Operation *op, unsigned operand);
  bool isMention(tfir::ReadOp read);
  /// True where the names of a call tell how many results there are.
  static bool hasCountedResults(mlir::Operation *op);
  bool mayStandInside(mlir::Operation *op);
  bool needsTypes(mlir::Operation *op);
  void noteUpdates(mlir::Operation *op);

  void flush();
  void emit(mlir::Operation *op, const Expression &expression);
  void line(const llvm::Twine &statement);
  /// The name that a value is bound to; a pending one is made a statement.
  std::string nameOf(mlir::Value value);
  /// A name for the first result: that of the operation where it can be.
  std::string bindName(mlir::Operation *op);
  std::string freshName();
  bool canBind(llvm::StringRef name);
  bool usesOwnName(mlir::Operation *op);

  const llvm::StringSet<> &globals;
  unsigned &bodies;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringSet<> taken;
  llvm::SmallVector<Pending> pending;
  llvm::StringMap<mlir::Operation *> reads; ///< as the parser would have them
  unsigned counter = 0, depth = 0;
  /// Characters of an expression that may stand inside of another one.
  size_t longestInside = kLongestInside;
};

} // namespace graphc::text

#endif
