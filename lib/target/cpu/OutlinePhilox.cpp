// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ten rounds of Philox are some two hundred operations, which every kernel that
// draws random numbers has, and each first value of a variable is such a
// kernel: LLVM took half of its time for them in small programs. A call takes
// up to a third of the time of the rounds, so that large kernels of a step keep
// their own.
//
// Products of 32-bit words to 64 bits are outlined, and the xors that they are
// connected with. The schedule of keys and the multipliers go with them.
// Counters and keys, which differ among kernels, are arguments, scalars where
// all lanes have the same.
#include "lib/target/cpu/OutlinePhilox.h"

#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace graphc {
namespace {

constexpr StringLiteral kOutlined = "graphc.outlined";

/// Fewer products than those of four rounds are not worth a call.
constexpr size_t kLeastProducts = 8;

/// Steps of a loop below which vectors are not worth making.
constexpr uint64_t kFewSteps = 16;

/// Elements of a kernel whose time nobody notices.
constexpr int64_t kFewElements = 1 << 14;

/// True if the time of a call counts in a kernel.
bool isHot(func::FuncOp kernel) {
  return !runsOnce(kernel) &&
         llvm::any_of(kernel.getArgumentTypes(), [](Type type) {
           auto buffer = dyn_cast<MemRefType>(type);
           return buffer && buffer.hasStaticShape() &&
                  buffer.getNumElements() > kFewElements;
         });
}

bool isWords(Type type) { return getElementTypeOrSelf(type).isInteger(32); }

/// A loop of few steps, which LLVM need not make vectors of.
bool isShort(scf::ForOp loop) {
  std::optional<APInt> count = loop.getStaticTripCount();
  return count && count->ult(kFewSteps);
}

/// True where a call takes nothing from LLVM: vectors, and the scalars of short
/// loops.
bool isAlreadyVector(Operation *op) {
  if (isa<VectorType>(op->getResult(0).getType()))
    return true;
  auto loop = op->getParentOfType<scf::ForOp>();
  return !loop || isShort(loop);
}

bool isProduct(Operation *op) {
  return isa<arith::MulUIExtendedOp>(op) && isWords(op->getResult(0).getType());
}

bool isPart(Operation *op) {
  return isProduct(op) ||
         (isa<arith::XOrIOp>(op) && isWords(op->getResult(0).getType()));
}

/// The scalar that all lanes have; null if they may differ.
Value scalarOf(Value value) {
  auto broadcast = value.getDefiningOp<vector::BroadcastOp>();
  if (broadcast && !isa<VectorType>(broadcast.getSource().getType()))
    return broadcast.getSource();
  return {};
}

bool isConstantSplat(Value value) {
  Value scalar = scalarOf(value);
  return matchPattern(scalar ? scalar : value, m_Constant());
}

/// A key of a later round: one of an earlier round and a constant.
bool isNextKey(Operation *op) {
  return isa_and_nonnull<arith::AddIOp>(op) &&
         isWords(op->getResult(0).getType()) &&
         isConstantSplat(op->getOperand(1));
}

/// Products and xors of a block that belong together, in its order.
class Rounds {
public:
  explicit Rounds(Operation *product) {
    llvm::SetVector<Operation *> connected;
    connected.insert(product);
    Block *block = product->getBlock();
    auto add = [&](Operation *op) {
      if (op && op->getBlock() == block && isPart(op))
        connected.insert(op);
    };
    for (size_t i = 0; i < connected.size(); ++i) {
      for (Value operand : connected[i]->getOperands())
        add(operand.getDefiningOp());
      for (Operation *user : connected[i]->getUsers())
        add(user);
    }
    ops = connected.takeVector();
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    members.insert(ops.begin(), ops.end());
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !members.contains(user);
            }))
          results.push_back(result);
  }

  ArrayRef<Operation *> getOps() const { return ops; }

  /// Worth a call that stands where the last of them does.
  bool canBeOutlined() const {
    Operation *last = ops.back();
    return isAlreadyVector(last) &&
           llvm::count_if(ops, isProduct) >=
               static_cast<ptrdiff_t>(kLeastProducts) &&
           !results.empty() && llvm::all_of(results, [&](Value result) {
             return llvm::all_of(result.getUsers(), [&](Operation *user) {
               Operation *inBlock =
                   last->getBlock()->findAncestorOpInBlock(*user);
               return members.contains(user) ||
                      (inBlock && last->isBeforeInBlock(inBlock));
             });
           });
  }

  /// A function of them, without a name, and what it is called with.
  OwningOpRef<func::FuncOp> makeFunction(SmallVectorImpl<Value> &arguments) {
    MLIRContext *context = ops.front()->getContext();
    Location loc = UnknownLoc::get(context);
    OpBuilder b(context);
    OwningOpRef<func::FuncOp> func = func::FuncOp::create(
        b, loc, "", b.getFunctionType({}, TypeRange(ValueRange(results))));
    func->setPrivate();
    (*func)->setAttr(kOutlined, b.getUnitAttr());
    body = func->addEntryBlock();
    b.setInsertionPointToStart(body);
    for (Operation *op : ops) {
      bool isProductOp = isProduct(op);
      for (Value operand : op->getOperands())
        map(b, operand, isProductOp, arguments);
      Operation *copy = b.clone(*op, mapping);
      copy->setLoc(loc);
    }
    SmallVector<Value> returned;
    for (Value result : results)
      returned.push_back(mapping.lookup(result));
    func::ReturnOp::create(b, loc, returned);
    func->setFunctionType(b.getFunctionType(body->getArgumentTypes(),
                                            TypeRange(ValueRange(results))));
    return func;
  }

  void replaceBy(func::FuncOp func, ArrayRef<Value> arguments) {
    OpBuilder b(ops.back()->getContext());
    b.setInsertionPointAfter(ops.back());
    auto call = func::CallOp::create(b, ops.front()->getLoc(), func, arguments);
    for (auto [result, value] : llvm::zip(results, call.getResults()))
      result.replaceUsesWithIf(value, [&](OpOperand &use) {
        return !members.contains(use.getOwner());
      });
    for (Operation *op : llvm::reverse(ops))
      op->erase();
  }

private:
  /// Makes `value` known in the function: computed there if it is a key of a
  /// later round or, with `isInside`, a constant; an argument otherwise.
  void map(OpBuilder &b, Value value, bool isInside,
           SmallVectorImpl<Value> &arguments) {
    if (mapping.contains(value))
      return;
    Location loc = b.getUnknownLoc();
    Operation *op = value.getDefiningOp();
    if (isInside && isConstantSplat(value)) {
      if (Value scalar = scalarOf(value))
        copy(b, scalar.getDefiningOp());
      copy(b, op);
      return;
    }
    if (isNextKey(op)) {
      map(b, op->getOperand(0), false, arguments);
      map(b, op->getOperand(1), true, arguments);
      addKey(b, op);
      return;
    }
    Value scalar = scalarOf(value);
    arguments.push_back(scalar ? scalar : value);
    Value argument = body->addArgument(arguments.back().getType(), loc);
    mapping.map(value, scalar ? vector::BroadcastOp::create(
                                    b, loc, value.getType(), argument)
                                    .getResult()
                              : argument);
  }

  /// Adds scalars where all lanes have the same.
  void addKey(OpBuilder &b, Operation *op) {
    Value key = scalarOf(mapping.lookup(op->getOperand(0)));
    Value step = scalarOf(mapping.lookup(op->getOperand(1)));
    if (!key || !step)
      return copy(b, op);
    Location loc = b.getUnknownLoc();
    mapping.map(op->getResult(0),
                vector::BroadcastOp::create(
                    b, loc, op->getResult(0).getType(),
                    arith::AddIOp::create(b, loc, key, step).getResult())
                    .getResult());
  }

  void copy(OpBuilder &b, Operation *op) {
    if (!mapping.contains(op->getResult(0)))
      b.clone(*op, mapping)->setLoc(b.getUnknownLoc());
  }

  SmallVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 32> members;
  SmallVector<Value> results; ///< those that others use
  IRMapping mapping;
  Block *body = nullptr;
};

std::string nameOf(func::FuncOp func) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  func.print(stream, OpPrintingFlags().assumeVerified());
  return "philox." + llvm::utohexstr(llvm::xxh3_64bits(text), true, 16);
}

void outlineIn(func::FuncOp kernel, SymbolTable &symbols) {
  std::vector<Rounds> all;
  llvm::SmallPtrSet<Operation *, 32> seen;
  kernel.walk([&](Operation *op) {
    if (!isProduct(op) || seen.contains(op))
      return;
    Rounds rounds(op);
    seen.insert(rounds.getOps().begin(), rounds.getOps().end());
    if (rounds.canBeOutlined())
      all.push_back(std::move(rounds));
  });
  for (Rounds &rounds : all) {
    SmallVector<Value> arguments;
    OwningOpRef<func::FuncOp> made = rounds.makeFunction(arguments);
    made->setName(nameOf(*made));
    auto func = symbols.lookup<func::FuncOp>(made->getName());
    if (!func) {
      func = made.release();
      symbols.insert(func);
    }
    rounds.replaceBy(func, arguments);
  }
}

} // namespace

bool isOutlined(Operation *symbol) { return symbol->hasAttr(kOutlined); }

OwningOpRef<ModuleOp> outlinePhilox(ModuleOp kernels) {
  WalkResult found = kernels.walk([](arith::MulUIExtendedOp op) {
    return isProduct(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return {};
  OwningOpRef<ModuleOp> copy = kernels.clone();
  SymbolTable symbols(*copy);
  for (auto kernel : llvm::to_vector(copy->getOps<func::FuncOp>()))
    if (!isHot(kernel))
      outlineIn(kernel, symbols);
  return copy;
}

} // namespace graphc
