// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands math functions inline: those of f32 with the approximations of MLIR's
// math dialect, relative error below 3e-7, those of f64 with ExpandDouble.cpp.
// A kernel may not call anything, so what has no expansion is refused here,
// where the op still has a location.
#include "lib/target/common/math/ExpandMath.h"

#include "lib/target/common/math/ExpandDouble.h"
#include "lib/target/common/math/ExpandTrigonometry.h"
#include "lib/target/common/math/Numbers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace graphc {
namespace {

/// A constant of the type of `like`, a float or a vector of floats.
Value number(OpBuilder &b, Value like, double number) {
  return Numbers{b, like.getLoc(), like.getType()}.number(number);
}

/// log10(x) = log(x) * log10(e); upstream approximates log but not log10.
struct ExpandLog10 : OpRewritePattern<math::Log10Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Log10Op op,
                                PatternRewriter &rewriter) const override {
    Value log = math::LogOp::create(rewriter, op.getLoc(), op.getOperand());
    Value factor = number(rewriter, log, 0.43429448190325182);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, log, factor);
    return success();
  }
};

/// log(x) = log(x * 2^24) - 24 * log(2) for x below the smallest normal number,
/// as upstream takes a subnormal number for that one. `unit` is log(2) in the
/// base of the logarithm.
template <typename LogOp> void scaleSubnormals(LogOp log, double unit) {
  OpBuilder b(log);
  Location loc = log.getLoc();
  Value x = log.getOperand();
  if (!getElementTypeOrSelf(x.getType()).isF32())
    return;
  Value small =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x,
                            number(b, x, std::numeric_limits<float>::min()));
  Value scaled = arith::MulFOp::create(b, loc, x, number(b, x, 0x1p24));
  log->setOperand(
      0, arith::SelectOp::create(b, loc, small, scaled, x).getResult());
  b.setInsertionPointAfter(log);
  Value excess = arith::SelectOp::create(b, loc, small, number(b, x, 24 * unit),
                                         number(b, x, 0));
  auto result = arith::SubFOp::create(b, loc, log.getResult(), excess);
  log.getResult().replaceAllUsesExcept(result, result);
}

Value negate(OpBuilder &b, Value value) {
  return arith::NegFOp::create(b, value.getLoc(), value);
}

/// The product that only `user` reads; null if `value` is none.
arith::MulFOp productOf(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() ? product : arith::MulFOp();
}

/// x * y + z, x * y - z and z - x * y in one rounding. Deciding it here, and
/// not in the code generator, makes it the same for all CPU levels and for
/// vectors and scalars, hence the bits too. Sums that may be reordered are left
/// to LLVM, whose vectoriser does not know them in this form.
void joinProduct(Operation *op) {
  auto math = cast<arith::ArithFastMathInterface>(op);
  if (bitEnumContainsAny(math.getFastMathFlagsAttr().getValue(),
                         arith::FastMathFlags::reassoc))
    return;
  OpBuilder b(op);
  Value left = op->getOperand(0), right = op->getOperand(1);
  bool subtracts = isa<arith::SubFOp>(op);
  arith::MulFOp product = productOf(left);
  Value x, y, z;
  if (product) {
    x = product.getLhs(), y = product.getRhs();
    z = subtracts ? negate(b, right) : right;
  } else if ((product = productOf(right))) {
    x = subtracts ? negate(b, product.getLhs()) : product.getLhs();
    y = product.getRhs(), z = left;
  } else {
    return;
  }
  op->replaceAllUsesWith(math::FmaOp::create(b, op->getLoc(), x, y, z));
  op->erase();
  product->erase();
}

/// Ops that a v3 processor computes with a short sequence of instructions.
bool hasInstructions(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp,
             math::CountLeadingZerosOp, math::CountTrailingZerosOp,
             math::CtPopOp, math::FloorOp, math::FmaOp, math::RoundEvenOp,
             math::RoundOp, math::RsqrtOp, math::SqrtOp, math::TruncOp,
             math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp>(
      op);
}

LogicalResult refuseCalls(func::FuncOp func) {
  WalkResult result = func.walk([](Operation *op) {
    bool isMath = isa<math::MathDialect>(op->getDialect());
    if (!(isMath && !hasInstructions(op)) && !isa<arith::RemFOp>(op))
      return WalkResult::advance();
    op->emitError("'")
        << op->getName() << "' of "
        << getElementTypeOrSelf(op->getOperand(0).getType())
        << " has no kernel code; compute it in f32, or write it with + - * / "
           "sqrt min max and comparisons";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace

LogicalResult expandMath(func::FuncOp func, bool contract) {
  bool expand = false;
  func.walk([&](Operation *op) {
    expand |=
        isa<math::MathDialect>(op->getDialect()) ||
        isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(op);
    // Which of +0 and -0 is the larger is nobody's business, and costs.
    if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
            arith::MinNumFOp>(op)) {
      auto math = cast<arith::ArithFastMathInterface>(op);
      op->setAttr(math.getFastMathAttrName(),
                  arith::FastMathFlagsAttr::get(
                      op->getContext(), math.getFastMathFlagsAttr().getValue() |
                                            arith::FastMathFlags::nsz));
    }
  });
  if (expand) {
    // The list names what the approximations do not cover: expanding more,
    // roundeven for one, replaces one instruction by a dozen.
    RewritePatternSet expansions(func.getContext());
    math::populateExpansionPatterns(expansions, {"tan", "sinh", "cosh", "asinh",
                                                 "acosh", "atanh", "powf",
                                                 "fpowi", "exp2", "clampf"});
    arith::populateCeilFloorDivExpandOpsPatterns(expansions);
    expansions.add<ExpandLog10>(func.getContext());
    if (failed(applyPatternsGreedily(func, std::move(expansions))))
      return failure();
    func.walk(
        [](math::LogOp log) { scaleSubnormals(log, llvm::numbers::ln2); });
    func.walk([](math::Log2Op log) { scaleSubnormals(log, 1); });
    RewritePatternSet approximations(func.getContext());
    populateTrigonometryPatterns(approximations);
    populateDoublePatterns(approximations);
    populateMathPolynomialApproximationPatterns(approximations);
    if (failed(applyPatternsGreedily(func, std::move(approximations))))
      return failure();
  }
  SmallVector<Operation *> sums;
  func.walk([&](Operation *op) {
    if (contract && isa<arith::AddFOp, arith::SubFOp>(op))
      sums.push_back(op);
  });
  for (Operation *op : sums)
    joinProduct(op);
  return refuseCalls(func);
}

} // namespace graphc
