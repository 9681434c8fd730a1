// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the operands of the fused op beside the accumulators, runs its body on
// vectors and stores the results. Inputs that do not change along the rows (a
// bias, a learning rate) are loaded once per tile.
#include "lib/target/cpu/contraction/Epilogue.h"

#include "lib/target/common/fused/VectorizeBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {

/// Instructions that an unrolled epilogue may cost per tile, about; a longer
/// one becomes a loop. A transcendental function is about 25 of them.
constexpr int64_t kUnrollBudget = 400;
constexpr int64_t kMathCost = 25;

static bool isFusableInput(AffineMap map, unsigned innermost) {
  if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
    return false;
  for (auto [position, expr] : llvm::enumerate(map.getResults()))
    if (expr.isFunctionOfDim(innermost) && position + 1 != map.getNumResults())
      return false;
  return true;
}

bool canFuseEpilogue(linalg::GenericOp body, unsigned accumulator) {
  SmallVector<AffineMap> maps = body.getIndexingMapsArray();
  unsigned inputs = body.getNumDpsInputs();
  if (accumulator >= inputs || body.getNumReductionLoops() != 0 ||
      !maps[accumulator].isIdentity() || !canVectorizeBody(body))
    return false;
  for (unsigned i = 0; i < maps.size(); ++i)
    if (i < inputs ? !isFusableInput(maps[i], body.getNumLoops() - 1)
                   : !maps[i].isIdentity() ||
                         !body.getBody()->getArgument(i).use_empty())
      return false;
  return true;
}

namespace {

/// Emits the epilogue of one tile.
class EpilogueEmitter {
public:
  EpilogueEmitter(KernelBuilder &builder, const Epilogue &epilogue,
                  const ResultTile &tile)
      : b(builder), epilogue(epilogue), body(epilogue.body), tile(tile) {}

  void run(Value scratch);

private:
  bool isUnrolled();
  void loadSharedInputs();
  void emitVector(Value row, int64_t column, Value accumulator);
  void emitRow(Value row, llvm::function_ref<Value(int64_t)> accumulator);

  Value maskOf(int64_t column) {
    return b.mask(tile.width, tile.columns - column * tile.width);
  }
  SmallVector<Value> indicesOf(Value row, int64_t column);
  Value loadInput(unsigned input, ValueRange indices, int64_t column);
  void storeResult(Value result, Value output, ValueRange indices,
                   int64_t column);
  Value indexVector(unsigned dim, ValueRange indices);

  KernelBuilder &b;
  const Epilogue &epilogue;
  linalg::GenericOp body;
  const ResultTile &tile;
  /// [input][vector column]: what does not change along the rows.
  SmallVector<SmallVector<Value>> shared;
};

SmallVector<Value> EpilogueEmitter::indicesOf(Value row, int64_t column) {
  SmallVector<Value> indices = tile.origin;
  if (row)
    indices[tile.rowDim] =
        b.add(indices[tile.rowDim], b.mul(row, tile.rowStep));
  indices.back() = b.add(indices.back(), column * tile.width);
  return indices;
}

Value EpilogueEmitter::loadInput(unsigned input, ValueRange indices,
                                 int64_t column) {
  Value memref = epilogue.inputs[input];
  AffineMap map = body.getIndexingMapsArray()[input];
  SmallVector<Value> at;
  for (AffineExpr expr : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      at.push_back(indices[dim.getPosition()]);
    else
      at.push_back(b.constant(cast<AffineConstantExpr>(expr).getValue()));
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  Value value;
  if (map.isFunctionOfDim(map.getNumDims() - 1))
    value = b.load(VectorType::get({tile.width}, element), memref, at,
                   maskOf(column));
  else
    value = memref::LoadOp::create(b, memref, at);
  if (body.getBody()->getArgument(input).getType().isInteger(1) &&
      !element.isInteger(1)) {
    Value zero = arith::ConstantOp::create(b, value.getType(),
                                           b.getZeroAttr(value.getType()));
    value = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, zero);
  }
  return value;
}

void EpilogueEmitter::storeResult(Value result, Value output,
                                  ValueRange indices, int64_t column) {
  Type element = cast<MemRefType>(output.getType()).getElementType();
  auto type = VectorType::get({tile.width}, element);
  if (type != result.getType())
    result = arith::ExtUIOp::create(b, type, result);
  b.store(result, output, indices, maskOf(column));
}

Value EpilogueEmitter::indexVector(unsigned dim, ValueRange indices) {
  if (dim + 1 != indices.size())
    return indices[dim];
  auto type = VectorType::get({tile.width}, b.getIndexType());
  Value lanes = vector::StepOp::create(b, type);
  Value first = vector::BroadcastOp::create(b, type, indices[dim]);
  return arith::AddIOp::create(b, first, lanes);
}

void EpilogueEmitter::loadSharedInputs() {
  shared.resize(epilogue.inputs.size());
  for (unsigned i = 0; i < epilogue.inputs.size(); ++i) {
    if (i == epilogue.accumulator ||
        body.getIndexingMapsArray()[i].isFunctionOfDim(tile.rowDim))
      continue;
    for (int64_t column = 0; column < tile.vectorsPerRow(); ++column)
      shared[i].push_back(loadInput(i, indicesOf({}, column), column));
  }
}

void EpilogueEmitter::emitVector(Value row, int64_t column, Value accumulator) {
  SmallVector<Value> indices = indicesOf(row, column);
  if (!body) {
    storeResult(accumulator, epilogue.outputs.front(), indices, column);
    return;
  }
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < epilogue.inputs.size(); ++i)
    if (i == epilogue.accumulator)
      arguments.push_back(accumulator);
    else if (!shared[i].empty())
      arguments.push_back(shared[i][column]);
    else
      arguments.push_back(loadInput(i, indices, column));
  auto index = [&](unsigned dim) { return indexVector(dim, indices); };
  SmallVector<Value> results =
      vectorizeBody(b, body, arguments, index, tile.width);
  for (auto [result, output] : llvm::zip_equal(results, epilogue.outputs))
    storeResult(result, output, indices, column);
}

void EpilogueEmitter::emitRow(Value row,
                              llvm::function_ref<Value(int64_t)> accumulator) {
  for (int64_t column = 0; column < tile.vectorsPerRow(); ++column)
    emitVector(row, column, accumulator(column));
}

bool EpilogueEmitter::isUnrolled() {
  if (!body)
    return true;
  int64_t cost = epilogue.inputs.size();
  for (Operation &op : body.getBody()->without_terminator())
    cost += isa<math::MathDialect>(op.getDialect()) ? kMathCost : 1;
  return cost * int64_t(tile.vectors.size()) <= kUnrollBudget;
}

void EpilogueEmitter::run(Value scratch) {
  if (body)
    loadSharedInputs();
  int64_t perRow = tile.vectorsPerRow();
  if (isUnrolled()) {
    for (int64_t row = 0; row < tile.rows; ++row)
      emitRow(b.constant(row), [&](int64_t column) {
        return tile.vectors[row * perRow + column];
      });
    return;
  }
  for (auto [i, vector] : llvm::enumerate(tile.vectors))
    b.store(vector, scratch, b.constant(i * tile.width));
  b.loop(b.constant(0), b.constant(tile.rows), 1, [&](Value row) {
    Value first = b.mul(row, perRow * tile.width);
    emitRow(row, [&](int64_t column) {
      return b.load(b.floatVector(tile.width), scratch,
                    b.add(first, column * tile.width));
    });
  });
}

} // namespace

void emitEpilogue(KernelBuilder &builder, const Epilogue &epilogue,
                  const ResultTile &tile, Value scratch) {
  EpilogueEmitter(builder, epilogue, tile).run(scratch);
}

} // namespace graphc
