// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference of ranges, grids, diagonals, bands and shapes.
#include "dialects/tfir/ops/arrange/TfirMatrixOps.h"
#include "lib/interpreter/ElementMap.h"
#include "lib/interpreter/Gather.h"

#include <algorithm>

using namespace mlir;

namespace graphc::interpreter {

using namespace tfir;

namespace {

using Index = SmallVector<int64_t>;

/// The result, each element from its index.
template <typename Function>
LogicalResult fromIndices(Value result, Frame &frame, Function element) {
  Tensor tensor = Tensor::ofType(cast<RankedTensorType>(result.getType()));
  int64_t next = 0;
  forEachIndex(tensor.shape, [&](ArrayRef<int64_t> index) {
    tensor.elements[next++] = element(tensor.kind, index);
  });
  frame.set(result, std::move(tensor));
  return success();
}

Element place(ElementKind kind, int64_t number) {
  return wrap(kind, numberOf(kind, static_cast<double>(number)));
}

LogicalResult iota(IotaOp op, Frame &frame) {
  int64_t next = 0;
  return fromIndices(
      op.getOutput(), frame,
      [&](ElementKind kind, ArrayRef<int64_t>) { return place(kind, next++); });
}

/// start + i * step.
Element advanced(ElementKind kind, int64_t i, const Element &step,
                 const Element &start) {
  if (isFloat(kind)) {
    FloatMath math(kind);
    return math.add(math.mul(place(kind, i), step), start);
  }
  return wrap(kind, Element::of(add64(mul64(i, step.integer), start.integer),
                                step.isKnown && start.isKnown));
}

LogicalResult range(RangeOp op, Frame &frame) {
  auto operand = [&](size_t i) {
    return frame.get(op.getLimits()[i]).elements[0];
  };
  return fromIndices(
      op.getY(), frame, [&](ElementKind kind, ArrayRef<int64_t> index) {
        size_t count = op.getLimits().size();
        Element start = count > 1 ? operand(0) : numberOf(kind, 0);
        Element delta = count > 2 ? operand(2) : numberOf(kind, 1);
        return advanced(kind, index[0], delta, start);
      });
}

LogicalResult linspace(LinspaceOp op, Frame &frame) {
  const Element &start = frame.get(op.getStart()).elements[0];
  const Element &stop = frame.get(op.getStop()).elements[0];
  return fromIndices(
      op.getY(), frame, [&](ElementKind kind, ArrayRef<int64_t> index) {
        if (op.getNum() == 1)
          return start;
        FloatMath math(kind);
        Element last = numberOf(kind, static_cast<double>(op.getNum() - 1));
        Element step = math.div(math.sub(stop, start), last);
        return advanced(kind, index[0], step, start);
      });
}

LogicalResult meshgrid(MeshgridOp op, Frame &frame) {
  bool isPicture = op.getIndexing() == "xy" && op.getXs().size() > 1;
  for (auto [i, x] : llvm::enumerate(op.getXs())) {
    const Tensor &from = frame.get(x);
    size_t dim = isPicture && i < 2 ? 1 - i : i;
    LogicalResult done = fromIndices(op.getYs()[i], frame,
                                     [&](ElementKind, ArrayRef<int64_t> index) {
                                       return from.elements[index[dim]];
                                     });
    if (failed(done))
      return failure();
  }
  return success();
}

LogicalResult invertPermutation(InvertPermutationOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return fromIndices(op.getY(), frame,
                     [&](ElementKind, ArrayRef<int64_t> index) {
                       Element sum = Element::of(0);
                       for (auto [at, element] : llvm::enumerate(x.elements)) {
                         sum.isKnown &= element.isKnown;
                         if (element.integer == index[0])
                           sum.integer += static_cast<int64_t>(at);
                       }
                       return sum;
                     });
}

LogicalResult shape(ShapeOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return fromIndices(op.getY(), frame,
                     [&](ElementKind, ArrayRef<int64_t> index) {
                       return Element::of(x.shape[index[0]]);
                     });
}

template <typename Op, typename Function> auto numberFrom(Function function) {
  return [function](Op op, Frame &frame) {
    const Tensor &x = frame.get(op.getX());
    return fromIndices(op.getY(), frame, [&](ElementKind, ArrayRef<int64_t>) {
      return Element::of(function(x));
    });
  };
}

LogicalResult eye(EyeOp op, Frame &frame) {
  return fromIndices(op.getY(), frame,
                     [&](ElementKind kind, ArrayRef<int64_t> index) {
                       ArrayRef<int64_t> at = index.take_back(2);
                       return numberOf(kind, at[0] == at[1]);
                     });
}

LogicalResult diag(DiagOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return fromIndices(
      op.getY(), frame, [&](ElementKind kind, ArrayRef<int64_t> index) {
        ArrayRef<int64_t> first = index.take_front(x.rank());
        return first == index.drop_front(x.rank()) ? x.at(first)
                                                   : numberOf(kind, 0);
      });
}

LogicalResult diagPart(DiagPartOp op, Frame &frame) {
  return gather(op.getY(), op.getX(), frame, [](ArrayRef<int64_t> index) {
    Index from(index);
    llvm::append_range(from, index);
    return from;
  });
}

LogicalResult matrixDiag(MatrixDiagOp op, Frame &frame) {
  const Tensor &x = frame.get(op.getX());
  return fromIndices(
      op.getY(), frame, [&](ElementKind kind, ArrayRef<int64_t> index) {
        ArrayRef<int64_t> at = index.take_back(2);
        return at[0] == at[1] ? x.at(index.drop_back()) : numberOf(kind, 0);
      });
}

LogicalResult matrixDiagPart(MatrixDiagPartOp op, Frame &frame) {
  return gather(op.getY(), op.getX(), frame, [](ArrayRef<int64_t> index) {
    Index from(index);
    from.push_back(index.back());
    return from;
  });
}

/// Zeros where `isKept` of row and column is false.
template <typename Op, typename Function> auto bandOf(Function isKept) {
  return [isKept](Op op, Frame &frame) {
    const Tensor &x = frame.get(op.getX());
    return fromIndices(
        op.getY(), frame, [&](ElementKind kind, ArrayRef<int64_t> index) {
          ArrayRef<int64_t> at = index.take_back(2);
          return isKept(op, at[0], at[1]) ? x.at(index) : numberOf(kind, 0);
        });
  };
}

} // namespace

void addMatrixOps(OpTable &table) {
  table.add<IotaOp>(iota);
  table.add<RangeOp>(range);
  table.add<LinspaceOp>(linspace);
  table.add<MeshgridOp>(meshgrid);
  table.add<InvertPermutationOp>(invertPermutation);
  table.add<ShapeOp>(shape);
  table.add<SizeOp>(
      numberFrom<SizeOp>([](const Tensor &x) { return x.size(); }));
  table.add<RankOp>(
      numberFrom<RankOp>([](const Tensor &x) { return x.rank(); }));
  table.add<EyeOp>(eye);
  table.add<DiagOp>(diag);
  table.add<DiagPartOp>(diagPart);
  table.add<MatrixDiagOp>(matrixDiag);
  table.add<MatrixDiagPartOp>(matrixDiagPart);
  table.add<MatrixBandPartOp>(bandOf<MatrixBandPartOp>(
      [](MatrixBandPartOp op, int64_t row, int64_t column) {
        auto lower = static_cast<int64_t>(op.getNumLower());
        auto upper = static_cast<int64_t>(op.getNumUpper());
        return (lower < 0 || row - column <= lower) &&
               (upper < 0 || column - row <= upper);
      }));
  table.add<TriuOp>(bandOf<TriuOp>([](TriuOp op, int64_t row, int64_t column) {
    return column - row >= static_cast<int64_t>(op.getDiagonal());
  }));
  table.add<TrilOp>(bandOf<TrilOp>([](TrilOp op, int64_t row, int64_t column) {
    return column - row <= static_cast<int64_t>(op.getDiagonal());
  }));
}

} // namespace graphc::interpreter
