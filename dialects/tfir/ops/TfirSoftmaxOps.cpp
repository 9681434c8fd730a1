// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and the losses that are computed with it.
#include "dialects/tfir/Linalg.h"
#include "dialects/tfir/Support.h"
#include "dialects/tfir/Tfir.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace graphc::tfir;

//===-- Softmax -----------------------------------------------------------===//

namespace {

/// Builds linalg over the rows of one tensor [..., classes].
struct Rows {
  OpBuilder &b;
  Location loc;
  RankedTensorType type;
  int64_t rank = type.getRank();
  RankedTensorType rowType = type.clone(type.getShape().drop_back());
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  AffineMap row = identity.dropResult(rank - 1);

  AffineMap mapOf(Value value) {
    return tensorType(value).getRank() == rank ? identity : row;
  }
  /// An elementwise function of whole tensors and of rows.
  Value map(ValueRange inputs, ScalarBody body) {
    SmallVector<AffineMap> maps;
    for (Value input : inputs)
      maps.push_back(mapOf(input));
    maps.push_back(identity);
    return buildGeneric(b, loc, inputs, emptyTensor(b, loc, type), maps, rank,
                        {}, body)
        .getResult(0);
  }
  /// A reduction of each row.
  Value reduce(ValueRange inputs, double start, ScalarBody body) {
    SmallVector<AffineMap> maps;
    for (Value input : inputs)
      maps.push_back(mapOf(input));
    maps.push_back(row);
    Value init = filledTensor(b, loc, rowType,
                              scalar(b, loc, type.getElementType(), start));
    return buildGeneric(b, loc, inputs, init, maps, rank, rank - 1, body)
        .getResult(0);
  }
  Value maxima(Value x) {
    return reduce(x, -std::numeric_limits<double>::infinity(),
                  [](OpBuilder &b, Location loc, ValueRange args) {
                    return SmallVector<Value>{
                        arith::MaximumFOp::create(b, loc, args[0], args[1])};
                  });
  }
  Value sums(ValueRange inputs,
             function_ref<Value(OpBuilder &, Location, ValueRange)> term) {
    return reduce(inputs, 0, [&](OpBuilder &b, Location loc, ValueRange args) {
      auto flags = arith::FastMathFlags::reassoc | arith::FastMathFlags::nsz;
      return SmallVector<Value>{arith::AddFOp::create(
          b, loc, term(b, loc, args.drop_back()), args.back(),
          arith::FastMathFlagsAttr::get(b.getContext(), flags))};
    });
  }
  /// x - max(x) and the sum of its exponentials.
  std::pair<Value, Value> shifted(Value x) {
    Value centred =
        map({x, maxima(x)}, [](OpBuilder &b, Location loc, ValueRange args) {
          return SmallVector<Value>{
              arith::SubFOp::create(b, loc, args[0], args[1])};
        });
    Value sum = sums(centred, [](OpBuilder &b, Location loc, ValueRange args) {
      return Value(math::ExpOp::create(b, loc, args[0]));
    });
    return {centred, sum};
  }
};

LogicalResult inferSoftmax(Operation *op, SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(op->getOperand(0));
  if (type.getRank() < 1) // (C1)
    return op->emitOpError() << "expects at least one dimension";
  types.push_back(type);
  return success();
}

Value softmaxElement(OpBuilder &b, Location loc, ValueRange args) {
  return arith::DivFOp::create(b, loc, math::ExpOp::create(b, loc, args[0]),
                               args[1]);
}

/// sum over the last dimension, kept as 1.
Value rowSum(OpBuilder &b, Location loc, Value x) {
  RankedTensorType type = tensorType(x);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = 1;
  return SumOp::create(b, loc, type.clone(shape), x,
                       b.getDenseI64ArrayAttr({type.getRank() - 1}),
                       b.getUnitAttr());
}

} // namespace

LogicalResult SoftmaxOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSoftmax(*this, types);
}
LogicalResult LogSoftmaxOp::inferTypes(SmallVectorImpl<Type> &types) {
  return inferSoftmax(*this, types);
}

SmallVector<Value> SoftmaxOp::lowerToLinalg(OpBuilder &b, ValueRange operands) {
  Rows rows{b, getLoc(), tensorType(operands[0])};
  auto [centred, sum] = rows.shifted(operands[0]);
  return {
      rows.map({centred, sum}, [](OpBuilder &b, Location loc, ValueRange args) {
        return SmallVector<Value>{softmaxElement(b, loc, args)};
      })};
}

SmallVector<Value> LogSoftmaxOp::lowerToLinalg(OpBuilder &b,
                                               ValueRange operands) {
  Rows rows{b, getLoc(), tensorType(operands[0])};
  auto [centred, sum] = rows.shifted(operands[0]);
  return {
      rows.map({centred, sum}, [](OpBuilder &b, Location loc, ValueRange args) {
        return SmallVector<Value>{arith::SubFOp::create(
            b, loc, args[0], math::LogOp::create(b, loc, args[1]))};
      })};
}

LogicalResult SoftmaxOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                       MutableArrayRef<Value> result) {
  // (g - sum(g y)) y
  Type type = getOutput().getType();
  Value gy = MulOp::create(b, getLoc(), type, gradients[0], getOutput());
  Value centred =
      SubOp::create(b, getLoc(), type, gradients[0], rowSum(b, getLoc(), gy));
  result[0] = MulOp::create(b, getLoc(), type, centred, getOutput());
  return success();
}

LogicalResult LogSoftmaxOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                          MutableArrayRef<Value> result) {
  // g - sum(g) softmax
  Type type = getOutput().getType();
  Value softmax = ExpOp::create(b, getLoc(), type, getOutput());
  Value part = MulOp::create(b, getLoc(), type, softmax,
                             rowSum(b, getLoc(), gradients[0]));
  result[0] = SubOp::create(b, getLoc(), type, gradients[0], part);
  return success();
}

//===-- Cross entropy -----------------------------------------------------===//

/// Both losses give the gradient by the logits as their second result.
template <typename Op>
static LogicalResult crossEntropyGradient(Op op, OpBuilder &b,
                                          ValueRange gradients,
                                          MutableArrayRef<Value> result) {
  if (gradients[1])
    return op.emitOpError() << "has no second derivative";
  if (!gradients[0])
    return success();
  RankedTensorType lossType = tensorType(op.getLoss());
  SmallVector<int64_t> column{lossType.getDimSize(0), 1};
  Value g =
      ReshapeOp::create(b, op.getLoc(), lossType.clone(column), gradients[0]);
  result[0] = MulOp::create(b, op.getLoc(), op.getBackprop().getType(), g,
                            op.getBackprop());
  return success();
}

LogicalResult SoftmaxXentOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(getLogits());
  if (type.getRank() != 2 ||
      failed(verifyCompatibleShape(type, getLabels().getType()))) // (C1)
    return emitOpError() << "logits of type " << type << " and labels of type "
                         << getLabels().getType()
                         << " are not matrices of the same shape";
  types.push_back(type.clone(type.getShape().take_front()));
  types.push_back(type);
  return success();
}

SmallVector<Value> SoftmaxXentOp::lowerToLinalg(OpBuilder &b,
                                                ValueRange operands) {
  Rows rows{b, getLoc(), tensorType(operands[0])};
  auto [centred, sum] = rows.shifted(operands[0]);
  Value loss =
      rows.sums({centred, operands[1], sum},
                [](OpBuilder &b, Location loc, ValueRange args) -> Value {
                  Value log = math::LogOp::create(b, loc, args[2]);
                  Value term = arith::SubFOp::create(b, loc, log, args[0]);
                  return arith::MulFOp::create(b, loc, args[1], term);
                });
  Value backprop =
      rows.map({centred, sum, operands[1]},
               [](OpBuilder &b, Location loc, ValueRange args) {
                 return SmallVector<Value>{arith::SubFOp::create(
                     b, loc, softmaxElement(b, loc, args), args[2])};
               });
  return {loss, backprop};
}

LogicalResult SoftmaxXentOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                           MutableArrayRef<Value> result) {
  return crossEntropyGradient(*this, b, gradients, result);
}

LogicalResult SparseSoftmaxXentOp::inferTypes(SmallVectorImpl<Type> &types) {
  RankedTensorType type = tensorType(getLogits());
  RankedTensorType labels = tensorType(getLabels());
  if (type.getRank() != 2 || labels.getRank() != 1 ||
      failed(verifyCompatibleShape(type.getShape().take_front(),
                                   labels.getShape()))) // (C1)
    return emitOpError() << "logits of type " << type << " and labels of type "
                         << labels
                         << " are not a matrix and one label for each row";
  types.push_back(type.clone(type.getShape().take_front()));
  types.push_back(type);
  return success();
}

SmallVector<Value> SparseSoftmaxXentOp::lowerToLinalg(OpBuilder &b,
                                                      ValueRange operands) {
  Rows rows{b, getLoc(), tensorType(operands[0])};
  int64_t classes = rows.type.getDimSize(1);
  auto [centred, sum] = rows.shifted(operands[0]);
  Value labels = operands[1];
  auto isLabel = [](OpBuilder &b, Location loc, Value label) -> Value {
    Value column = arith::IndexCastOp::create(
        b, loc, label.getType(), linalg::IndexOp::create(b, loc, 1));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, column,
                                 label);
  };
  // NaN for a label outside [0, classes), as an unsigned comparison finds it.
  Value penalty =
      buildGeneric(
          b, getLoc(), {labels, sum}, emptyTensor(b, getLoc(), rows.rowType),
          {b.getMultiDimIdentityMap(1), b.getMultiDimIdentityMap(1),
           b.getMultiDimIdentityMap(1)},
          1, {},
          [&](OpBuilder &b, Location loc, ValueRange args) {
            Value limit = arith::ConstantOp::create(
                b, loc, b.getIntegerAttr(args[0].getType(), classes));
            Value fits = arith::CmpIOp::create(
                b, loc, arith::CmpIPredicate::ult, args[0], limit);
            Value log = math::LogOp::create(b, loc, args[1]);
            Value nan = scalar(b, loc, log.getType(),
                               std::numeric_limits<double>::quiet_NaN());
            return SmallVector<Value>{
                arith::SelectOp::create(b, loc, fits, log, nan)};
          })
          .getResult(0);
  Value picked =
      rows.sums({centred, labels},
                [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
                  return arith::SelectOp::create(
                      b, loc, isLabel(b, loc, args[1]), args[0],
                      scalar(b, loc, args[0].getType(), 0));
                });
  Value loss =
      buildGeneric(b, getLoc(), {penalty, picked},
                   emptyTensor(b, getLoc(), rows.rowType),
                   {b.getMultiDimIdentityMap(1), b.getMultiDimIdentityMap(1),
                    b.getMultiDimIdentityMap(1)},
                   1, {},
                   [](OpBuilder &b, Location loc, ValueRange args) {
                     return SmallVector<Value>{
                         arith::SubFOp::create(b, loc, args[0], args[1])};
                   })
          .getResult(0);
  // exp(x - max - penalty) is softmax, and NaN where the label does not fit.
  Value backprop =
      rows.map({centred, penalty, labels}, [&](OpBuilder &b, Location loc,
                                               ValueRange args) {
        Value softmax = math::ExpOp::create(
            b, loc, arith::SubFOp::create(b, loc, args[0], args[1]));
        Value hit = arith::UIToFPOp::create(b, loc, softmax.getType(),
                                            isLabel(b, loc, args[2]));
        return SmallVector<Value>{arith::SubFOp::create(b, loc, softmax, hit)};
      });
  return {loss, backprop};
}

LogicalResult
SparseSoftmaxXentOp::buildGradient(OpBuilder &b, ValueRange gradients,
                                   MutableArrayRef<Value> result) {
  return crossEntropyGradient(*this, b, gradients, result);
}
