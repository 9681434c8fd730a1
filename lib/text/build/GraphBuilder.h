// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds the body of a graph from its statements.
#ifndef GRAPHC_LIB_TEXT_BUILD_GRAPHBUILDER_H
#define GRAPHC_LIB_TEXT_BUILD_GRAPHBUILDER_H

#include "dialects/tfir/Tfir.h"
#include "lib/text/build/Evaluator.h"
#include "lib/text/build/OpNames.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#include <array>

namespace graphc::text {

class GraphBuilder : public Evaluator {
public:
  GraphBuilder(BuildState &session, tfir::GraphOp graph);

  /// Builds feeds, body and fetches of the graph.
  void build(const TextStatement &statement);

  std::vector<std::string> knownNames() const override;
  std::string adviceFor(llvm::StringRef name) const override;

protected:
  const Item *lookup(llvm::StringRef name) const override;
  Item evaluateCall(const Expr *expr, const Wanted &wanted) override;
  Item evaluateUnary(const Expr *expr, Item operand,
                     const Wanted &wanted) override;
  Item evaluateBinary(const Expr *expr, Item left, Item right,
                      const Wanted &wanted) override;
  Item evaluateSubscript(const Expr *expr, Item base,
                         const Wanted &wanted) override;
  mlir::Location locationOf(const char *place) const override;

private:
  /// Names and results of the graph or of a func that is called in it.
  struct Frame {
    llvm::MapVector<llvm::StringRef, Item> names; ///< in order of first binding
    std::optional<mlir::Location> caller;
    bool isLibrary = false; ///< of a func of the library: sees no globals
    std::string resultName; ///< of what a func returns
    llvm::SmallVector<Item> returned;
    bool hasReturned = false;
    bool hasFailed = false;     ///< a statement had an error
    llvm::StringSet<> oneSided; ///< names of one side of an `if` alone
  };

  // Statements.
  void run(llvm::ArrayRef<TextStatement *> body);
  void runStatement(const TextStatement &statement);
  void runLet(const TextStatement &statement);
  void runVariable(const TextStatement &statement);
  void runFor(const TextStatement &statement);
  bool isLoopCall(const TextStatement &statement) const;
  void runLoop(const TextStatement &statement);
  void runIf(const TextStatement &statement);
  void runScope(const TextStatement &statement);
  void runDevice(const TextStatement &statement);
  void runColocate(const TextStatement &statement);
  void runAverage(const TextStatement &statement);
  void runAssign(const TextStatement &statement);
  void runUpdate(const TextStatement &statement);
  void runReturn(const TextStatement &statement);
  void addFeeds(const TextStatement &statement);
  void addFetches(const TextStatement &statement);
  /// `name` lies in the text.
  void bind(llvm::StringRef name, Item item);
  bool canBind(const Declared &target);
  void bindTargets(const TextStatement &statement, Item item);
  Item checkType(const Declared &target, Item item);
  /// Makes a scope give the results that are written, or all names that are
  /// bound inside.
  void giveWritten(const TextStatement &statement, tfir::DeviceOp scope);
  void giveAll(tfir::DeviceOp scope);
  void removeUnusedResults();

  // Loops of the compiled graph.
  struct Loop;
  bool readLoop(const TextStatement &statement, Loop &loop);
  bool readLoopNames(const Argument &argument, Loop &loop,
                     llvm::SmallVectorImpl<const Expr *> &names);
  bool readLoopInputs(const Argument &argument, Loop &loop);
  bool readCarried(Loop &loop);
  void runWhile(const TextStatement &statement);
  bool readWhile(const TextStatement &statement, Loop &loop);
  mlir::Value runCondition(const TextStatement &statement, Loop &loop,
                           mlir::Block &block);
  bool runStep(const TextStatement &statement, Loop &loop, mlir::Block &body,
               llvm::SmallVectorImpl<mlir::Value> &yielded);
  void bindCarried(const TextStatement &statement, const Loop &loop,
                   mlir::Block &block);
  void nameLoop(mlir::Operation *op, const Loop &loop);
  bool runLoopBody(const TextStatement &statement, Loop &loop,
                   mlir::Block &body,
                   llvm::SmallVectorImpl<mlir::Value> &yielded);

  // Choices of the compiled graph.
  using Names = llvm::MapVector<llvm::StringRef, Item>;
  void runChoice(const TextStatement &statement, const Item &item,
                 bool takesOne);
  bool checkKernelControl(mlir::Operation *op, const char *place);
  bool runSide(const TextStatement &statement, bool isThen, mlir::Block &body);
  bool giveChosen(const TextStatement &statement, const Names &before,
                  const std::array<Names, 2> &sides,
                  llvm::SmallVectorImpl<llvm::StringRef> &names,
                  std::array<llvm::SmallVector<mlir::Value>, 2> &values);

  // Calls.
  using Operands = llvm::SmallVector<llvm::SmallVector<Item>>;
  struct Call {
    Call(const OpSignature *signature, const char *place,
         Operands operands = {})
        : signature(signature), place(place), operands(std::move(operands)) {}

    const OpSignature *signature;
    const char *place;
    Operands operands; ///< of each argument that is one
    llvm::SmallVector<mlir::NamedAttribute> attributes;
    llvm::SmallVector<int64_t> shape; ///< by ResultRule::Shape
    mlir::Type element;               ///< by ResultRule::ElementType
    std::optional<std::string> name;  ///< given as an argument
    /// The call of the text where it is that of another name, as errors show
    /// it: `scatter_add(variable, indices, updates)`.
    std::string written;
  };
  Item inlineFunc(const Expr *expr, const TextStatement &func,
                  const Wanted &wanted, bool isLibrary = false);
  /// Names the operands of a func in `frame`: `first` are its first ones,
  /// `arguments` the others.
  bool bindOperands(const Expr *expr, const TextStatement &func,
                    llvm::ArrayRef<Item> first,
                    llvm::ArrayRef<Argument> arguments, Frame &frame,
                    std::optional<std::string> &name);
  /// Builds the body of a func whose operands have their names.
  Item runFunc(const Expr *expr, const TextStatement &func, Frame &frame,
               const std::optional<std::string> &name, const Wanted &wanted);
  Item unknownCall(const Expr *expr);
  bool matchArguments(const Expr *expr, const OpSignature &signature,
                      std::vector<std::vector<const Expr *>> &slots,
                      Call &call);
  bool addCommonArgument(const Argument &argument, Call &call);
  bool fillCall(const std::vector<std::vector<const Expr *>> &slots,
                Call &call);
  Item makeCall(Call &call, const Wanted &wanted);
  bool makeOperands(Call &call, llvm::SmallVectorImpl<mlir::Value> &values);
  bool resultTypes(const Call &call, mlir::ValueRange operands,
                   const Wanted &wanted,
                   llvm::SmallVectorImpl<mlir::Type> &types);
  bool ruleTypes(const Call &call, mlir::ValueRange operands,
                 llvm::SmallVectorImpl<mlir::Type> &types);
  bool checkOp(mlir::Operation *op, const Wanted &wanted, bool isInferred,
               llvm::StringRef written);
  void report(mlir::Operation *op, llvm::StringRef message,
              llvm::StringRef written);

  /// Updates rows of a variable, if the call is one that does. It stands alone.
  bool runRowUpdate(const Expr *expr);
  Item makeRowUpdate(const Expr *expr, llvm::StringRef combine, bool nd);
  bool checkRows(mlir::Operation *op, mlir::RankedTensorType variable,
                 llvm::StringRef written);

  // Operations whose body is a func.
  Item makeRecompute(const Expr *expr, const Wanted &wanted);
  Item makeCustomGradient(const Expr *expr, const Wanted &wanted);
  struct Case;
  Item makeCase(const Expr *expr, const Wanted &wanted);
  bool readCase(const Expr *expr, Case &made, std::optional<std::string> &name);
  bool buildCase(Case &made, size_t number,
                 llvm::SmallVectorImpl<mlir::Value> &values);
  bool buildCases(Case &made, size_t number,
                  llvm::SmallVectorImpl<mlir::Value> &values);
  const TextStatement *readFunc(const Argument &argument);
  bool readFloats(const Argument &argument,
                  llvm::SmallVectorImpl<mlir::Value> &values);
  bool buildBody(const Expr *expr, const TextStatement &func, Frame &inner,
                 const std::optional<std::string> &name, const Wanted &wanted,
                 mlir::Operation *op);

  // Values.
  mlir::Value materialize(const Item &item, const char *place,
                          mlir::Type element = {}, const Wanted &wanted = {});
  mlir::Value makeConstant(const Constant &constant,
                           mlir::RankedTensorType type, const char *place,
                           const Wanted &wanted = {});
  mlir::Value readVariable(const Item &variable, const char *place);
  void forgetReads(mlir::Operation *op);
  void nameOp(mlir::Operation *op, const Wanted &wanted);
  Item slice(const Expr *expr, mlir::Value value, const Wanted &wanted);

  tfir::GraphOp graph;
  mlir::OpBuilder b;
  Frame *frame = nullptr;
  unsigned calls = 0; ///< of funcs, in each other
  std::string prefix; ///< of names: "encoder/layer0/"
  TakenNames opNames, scopeNames;
  llvm::StringSet<> declared; ///< symbols of variables in this graph
  bool averages = false;
  mlir::Attribute colocation;
  using Reads =
      llvm::DenseMap<std::pair<mlir::StringAttr, unsigned>, mlir::Value>;
  Reads reads; ///< value of each variable, or of its average, as read last
  llvm::SmallVector<tfir::DeviceOp> scopes; ///< with results by use
};

} // namespace graphc::text

#endif
