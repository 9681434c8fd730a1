// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates expressions outside of graphs: constants, types and attributes.
#ifndef GRAPHC_LIB_TEXT_BUILD_EVALUATOR_H
#define GRAPHC_LIB_TEXT_BUILD_EVALUATOR_H

#include "lib/text/Signatures.h"
#include "lib/text/build/BuildState.h"
#include "lib/text/syntax/Tree.h"

namespace graphc {
struct TfName;
}

namespace graphc::text {

/// Expectations of the place of a value: the name of its operation, and names
/// with types of its results.
struct Wanted {
  llvm::StringRef name;
  llvm::ArrayRef<Declared> targets;
  bool isWhole = false; ///< the name has its scopes already
};

/// All functions report their errors and then return an error, nothing or null.
class Evaluator {
public:
  explicit Evaluator(BuildState &session) : session(session) {}
  virtual ~Evaluator() = default;

  Item evaluate(const Expr *expr, const Wanted &wanted = {});

  /// The value of an expression of numbers, texts and lists; `what` is "the
  /// size of a dimension".
  std::optional<Constant> constant(const Expr *expr, llvm::StringRef what);
  std::optional<int64_t> integer(const Expr *expr, llvm::StringRef what);
  std::optional<std::string> string(const Expr *expr, llvm::StringRef what);
  std::optional<bool> condition(const Expr *expr);
  /// The same of an expression that is evaluated already.
  std::optional<bool> conditionOf(const Expr *expr, const Item &item);
  std::optional<llvm::SmallVector<int64_t>> shape(const Expr *expr);

  mlir::RankedTensorType type(const TypeExpr *type);
  mlir::Type element(llvm::StringRef name, const char *place);

  /// The attribute that an argument gives. Null without an error for `false` of
  /// a unit attribute; `good` tells which.
  mlir::Attribute attribute(const Expr *expr, const ArgumentSignature &argument,
                            llvm::StringRef owner, bool &good);
  /// An initial value, for a variable of the type.
  mlir::Attribute initialValue(const Expr *expr, mlir::RankedTensorType type);

  /// The names that exist here, to suggest one of them.
  virtual std::vector<std::string> knownNames() const;
  /// Advice about a name that means nothing, for the end of a message.
  virtual std::string adviceFor(llvm::StringRef name) const;

protected:
  virtual const Item *lookup(llvm::StringRef name) const;
  virtual Item evaluateCall(const Expr *expr, const Wanted &wanted);
  virtual Item evaluateUnary(const Expr *expr, Item operand,
                             const Wanted &wanted);
  virtual Item evaluateBinary(const Expr *expr, Item left, Item right,
                              const Wanted &wanted);
  virtual Item evaluateSubscript(const Expr *expr, Item base,
                                 const Wanted &wanted);
  virtual mlir::Location locationOf(const char *place) const {
    return session.diagnostics.locate(place);
  }

  mlir::InFlightDiagnostic error(const char *place) {
    return session.diagnostics.error(locationOf(place));
  }
  std::optional<Constant> constantOf(const Expr *expr, const Item &item,
                                     llvm::StringRef what);
  Item evaluateKind(const Expr *expr, const Wanted &wanted);
  Item evaluateName(const Expr *expr);
  Item evaluateList(const Expr *expr);
  /// The item, or an error when it is larger than any program needs.
  Item limitSize(const Expr *expr, Item item);
  Item foldUnary(const Expr *expr, const Item &operand);
  Item foldBinary(const Expr *expr, const Item &left, const Item &right);
  /// An element of a list or of an array of variables.
  Item elementAt(const Expr *expr, const Item &base);
  std::optional<std::string> interpolate(const Expr *expr);
  void unknownAttribute(const Expr *expr, const std::string &what);
  mlir::Attribute attributeCall(const Expr *expr);
  mlir::Attribute attributeList(const Expr *expr,
                                const ArgumentSignature &argument,
                                llvm::StringRef owner, bool &good);
  /// The same in MLIR's form; empty after an error.
  std::string attributeText(const Expr *expr);
  mlir::Attribute fromMlir(const Expr *expr, llvm::StringRef text);

  BuildState &session;
};

/// "; did you mean 'x'?" for a name that nothing has, or "".
std::string didYouMean(llvm::StringRef name,
                       const std::vector<std::string> &known);

/// The name here of one of TensorFlow's: "TensorFlow's 'reduce_sum' is
/// 'sum' here: ...".
std::string inWordsOfText(const TfName &row, llvm::StringRef name);

/// "a value of type f32[2]": an item in errors.
std::string describe(const Item &item);

} // namespace graphc::text

#endif
