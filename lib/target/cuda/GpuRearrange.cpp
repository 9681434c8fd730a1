// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cuda/GpuRearrange.h"

#include "dialects/tfir/Linalg.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

namespace {

using Shape = SmallVector<int64_t>;
using Indices = SmallVector<AffineExpr>;

Shape shapeOfFilter(const Conv2DSpec &spec) {
  return {spec.kernelHeight, spec.kernelWidth, spec.inChannels,
          spec.outChannels};
}

Shape shapeForLibrary(const Conv2DSpec &spec) {
  return {spec.outChannels, spec.kernelHeight, spec.kernelWidth,
          spec.inChannels};
}

Shape shapeOfImages(const Conv2DSpec &spec) {
  return {spec.batch, spec.inHeight, spec.inWidth, spec.inChannels};
}

Shape shapeOfPadded(const Conv2DSpec &spec) {
  ImagePadding padding = paddingOf(spec);
  return {spec.batch, spec.inHeight + padding.top + padding.bottom,
          spec.inWidth + padding.left + padding.right, spec.inChannels};
}

/// A function under construction, from float32 to float32.
class Rearrangement {
public:
  Rearrangement(func::FuncOp kernel, StringRef purpose, ArrayRef<int64_t> from,
                ArrayRef<int64_t> to)
      : b(kernel), loc(kernel.getLoc()),
        from(RankedTensorType::get(from, b.getF32Type())),
        to(RankedTensorType::get(to, b.getF32Type())) {
    func = func::FuncOp::create(b, loc,
                                (kernel.getSymName() + "_" + purpose).str(),
                                b.getFunctionType(this->from, this->to));
    func->remove();
    SymbolTable(kernel->getParentOp()).insert(func, kernel->getIterator());
    b.setInsertionPointToStart(func.addEntryBlock());
  }

  AffineExpr dim(unsigned i) { return b.getAffineDimExpr(i); }

  /// Each element is that of the operand at `indices`.
  func::FuncOp read(ArrayRef<AffineExpr> indices) {
    int64_t rank = to.getRank();
    AffineMap maps[] = {AffineMap::get(rank, 0, indices, b.getContext()),
                        b.getMultiDimIdentityMap(rank)};
    auto same = [](OpBuilder &, Location, ValueRange x) {
      return SmallVector<Value>{x[0]};
    };
    Value empty = emptyTensor(b, loc, to);
    auto generic =
        buildGeneric(b, loc, func.getArgument(0), empty, maps, rank, {}, same);
    return finish(generic.getResult(0));
  }

  func::FuncOp finish(Value result) {
    func::ReturnOp::create(b, loc, result);
    return func;
  }

  OpBuilder b;
  Location loc;
  RankedTensorType from, to;
  func::FuncOp func;
};

/// `index` in a dimension that begins `before` places earlier and has `size`
/// places: clamped, and whether it was one of them.
std::pair<Value, Value> placeInside(OpBuilder &b, Location loc, Value index,
                                    int64_t before, int64_t size) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value place = arith::SubIOp::create(b, loc, index, number(before));
  // What lies before the first place is a large number without a sign.
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                                       number(size));
  return {arith::SelectOp::create(b, loc, inside, place, number(0)), inside};
}

} // namespace

ImagePadding paddingOf(const Conv2DSpec &spec) {
  auto after = [](int64_t in, int64_t out, int64_t kernel, int64_t stride,
                  int64_t before) {
    int64_t whole = (out - 1) * stride + kernel - in;
    return std::max<int64_t>(whole - before, 0);
  };
  return {spec.padTop,
          after(spec.inHeight, spec.outHeight, spec.kernelHeight,
                spec.strideHeight, spec.padTop),
          spec.padLeft,
          after(spec.inWidth, spec.outWidth, spec.kernelWidth, spec.strideWidth,
                spec.padLeft)};
}

func::FuncOp GpuRearrange::filter(const Conv2DSpec &spec) {
  Rearrangement r(kernel, "filter", shapeOfFilter(spec), shapeForLibrary(spec));
  return r.read({r.dim(1), r.dim(2), r.dim(3), r.dim(0)});
}

func::FuncOp GpuRearrange::plainFilter(const Conv2DSpec &spec) {
  Rearrangement r(kernel, "plain", shapeForLibrary(spec), shapeOfFilter(spec));
  return r.read({r.dim(3), r.dim(0), r.dim(1), r.dim(2)});
}

func::FuncOp GpuRearrange::pad(const Conv2DSpec &spec) {
  Rearrangement r(kernel, "padded", shapeOfImages(spec), shapeOfPadded(spec));
  ImagePadding padding = paddingOf(spec);
  Value images = r.func.getArgument(0);
  auto element = [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
    auto [row, rowInside] =
        placeInside(b, loc, at[1], padding.top, spec.inHeight);
    auto [column, columnInside] =
        placeInside(b, loc, at[2], padding.left, spec.inWidth);
    Value inside = arith::AndIOp::create(b, loc, rowInside, columnInside);
    Value pixel = tensor::ExtractOp::create(
        b, loc, images, ValueRange{at[0], row, column, at[3]});
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    return arith::SelectOp::create(b, loc, inside, pixel, zero);
  };
  return r.finish(buildFromIndices(r.b, r.loc, r.to, element));
}

func::FuncOp GpuRearrange::crop(const Conv2DSpec &spec) {
  Rearrangement r(kernel, "cropped", shapeOfPadded(spec), shapeOfImages(spec));
  ImagePadding padding = paddingOf(spec);
  Value padded = r.func.getArgument(0);
  auto element = [&](OpBuilder &b, Location loc, ValueRange at) -> Value {
    Value top = arith::ConstantIndexOp::create(b, loc, padding.top);
    Value left = arith::ConstantIndexOp::create(b, loc, padding.left);
    Value row = arith::AddIOp::create(b, loc, at[1], top);
    Value column = arith::AddIOp::create(b, loc, at[2], left);
    return tensor::ExtractOp::create(b, loc, padded,
                                     ValueRange{at[0], row, column, at[3]});
  };
  return r.finish(buildFromIndices(r.b, r.loc, r.to, element));
}

} // namespace graphc
