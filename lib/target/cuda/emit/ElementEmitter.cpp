// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU computes in scalars; only loads and stores are of vectors.
#include "lib/target/cuda/emit/ElementEmitter.h"

#include "lib/target/common/fused/FlatIndex.h"
#include "lib/target/cuda/emit/Threads.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace graphc {
namespace {

using Values = ElementEmitter::Values;

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

VectorType accessOf(Type element) {
  return VectorType::get({kAccess}, element);
}

llvm::MaybeAlign alignmentOf(Type element) {
  return llvm::Align(kAccess *
                     llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

Values loadTogether(KernelBuilder &b, Value buffer, Value at) {
  Type element = getElementTypeOrSelf(buffer.getType());
  Value vector =
      vector::LoadOp::create(b, accessOf(element), buffer, ValueRange(at),
                             /*nontemporal=*/false, alignmentOf(element));
  Values values;
  for (int64_t i = 0; i < kAccess; ++i)
    values.push_back(vector::ExtractOp::create(b, vector, i));
  return values;
}

void storeTogether(KernelBuilder &b, ValueRange values, Value buffer,
                   Value at) {
  Type element = values.front().getType();
  Value vector = vector::FromElementsOp::create(b, accessOf(element), values);
  vector::StoreOp::create(b, vector, buffer, ValueRange(at),
                          /*nontemporal=*/false, alignmentOf(element));
}

} // namespace

ElementEmitter::ElementEmitter(TensorKernel &kernel, const FlatPlan &plan)
    : kernel(kernel), plan(plan), b(kernel.builder()) {
  for (const FlatOp &flat : plan.ops)
    for (Value result : flat.op->getResults())
      makers[result] = &flat;
}

Value ElementEmitter::known(Value tensor, int64_t element) {
  if (!isTensor(tensor))
    return tensor;
  Value root = TensorKernel::root(tensor);
  if (Value value = kernel.uniform(root))
    return value;
  return fixedValues.lookup({root, element});
}

void ElementEmitter::fix(Value tensor, Value value, int64_t element) {
  fixedValues[{TensorKernel::root(tensor), element}] = value;
}

void ElementEmitter::fixLoads(Space space, Value at) {
  for (const FlatOp &flat : plan.ops)
    for (OpOperand &operand : flat.op->getOpOperands()) {
      unsigned i = operand.getOperandNumber();
      Value root = TensorKernel::root(operand.get());
      int64_t element = flat.elements[i];
      linalg::GenericOp op = flat.op;
      if (flat.operands[i] != space || known(operand.get(), element) ||
          makers.contains(root) || !op.payloadUsesValueFromOperand(&operand))
        continue;
      Value from = element ? b.constant(element) : at;
      fix(root, memref::LoadOp::create(b, kernel.buffer(root), from), element);
    }
}

Value ElementEmitter::fixed(const FlatOp &flat, OpOperand &operand) {
  Value value = known(operand.get(), flat.elements[operand.getOperandNumber()]);
  assert(value && "an operand of a line is fixed before its reader");
  return value;
}

Values ElementEmitter::body(const FlatOp &flat, ValueRange arguments, Value row,
                            Value column) {
  return inlineBody(
      b, flat.op, arguments,
      [&](unsigned dim) {
        return flatElementIndex(b, plan, flat, dim, row, column);
      },
      [&](Value tensor) { return captured(tensor); });
}

void ElementEmitter::fixOp(const FlatOp &flat, Value row, Value column) {
  linalg::GenericOp op = flat.op;
  Values arguments;
  for (OpOperand &operand : op->getOpOperands())
    arguments.push_back(op.payloadUsesValueFromOperand(&operand)
                            ? fixed(flat, operand)
                            : Value());
  Values results = body(flat, arguments, row, column);
  for (auto [result, value] : llvm::zip(op->getResults(), results))
    fix(result, value);
}

TensorView ElementEmitter::captured(Value tensor) {
  Value root = TensorKernel::root(tensor);
  auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
  if (Value value = kernel.uniform(root))
    return {{}, value, SmallVector<int64_t>(shape.size(), 0)};
  return rowMajorView(kernel.buffer(root), shape);
}

Value ElementEmitter::row(const Elements &at, int64_t i) {
  if (at.sameRow || i == 0)
    return at.row;
  return fastDiv(b, b.add(at.first, i), plan.columns, plan.rows * plan.columns);
}

Value ElementEmitter::column(const Elements &at, int64_t i) {
  if (at.sameRow || i == 0)
    return b.add(at.column, i);
  return fastRem(b, b.add(at.first, i), plan.columns, plan.rows * plan.columns);
}

Values ElementEmitter::load(Value root, Space space, const Elements &at) {
  Value buffer = kernel.buffer(root);
  bool together = at.aligned && at.count == kAccess;
  if (space == Space::Full && together)
    return loadTogether(b, buffer, at.first);
  if (space == Space::Column && together && at.sameRow)
    return loadTogether(b, buffer, at.column);
  Values values;
  for (int64_t i = 0; i < at.count; ++i) {
    if (space == Space::Row && at.sameRow && i > 0) {
      values.push_back(values.front());
      continue;
    }
    Value from = space == Space::Full  ? b.add(at.first, i)
                 : space == Space::Row ? row(at, i)
                                       : column(at, i);
    values.push_back(memref::LoadOp::create(b, buffer, from));
  }
  return values;
}

Values ElementEmitter::values(Value tensor, Space space, const Elements &at,
                              Memo &memo, int64_t element) {
  if (Value value = known(tensor, element))
    return Values(at.count, value);
  Value root = TensorKernel::root(tensor);
  std::pair<Value, unsigned> key(root, static_cast<unsigned>(space));
  if (auto found = memo.find(key); found != memo.end())
    return found->second;
  if (const FlatOp *maker = makers.lookup(root)) {
    compute(*maker, at, memo);
    return memo.find(key)->second;
  }
  return memo[key] = load(root, space, at);
}

SmallVector<Values> ElementEmitter::arguments(const FlatOp &flat,
                                              const Elements &at, Memo &memo) {
  linalg::GenericOp op = flat.op;
  SmallVector<Values> all(at.count);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    bool needed = op.payloadUsesValueFromOperand(&operand) &&
                  !(flat.reduces && op.isDpsInit(&operand));
    Values own = needed ? values(operand.get(), flat.operands[i], at, memo,
                                 flat.elements[i])
                        : Values(at.count);
    for (auto [arguments, value] : llvm::zip(all, own))
      arguments.push_back(value);
  }
  return all;
}

void ElementEmitter::compute(const FlatOp &flat, const Elements &at,
                             Memo &memo) {
  SmallVector<Values> results(flat.op->getNumResults());
  for (auto [i, own] : llvm::enumerate(arguments(flat, at, memo))) {
    Values yielded = body(flat, own, row(at, i), column(at, i));
    for (auto [result, value] : llvm::zip(results, yielded))
      result.push_back(value);
  }
  for (auto [result, own] : llvm::zip(flat.op->getResults(), results))
    memo[{result, static_cast<unsigned>(flat.space)}] = own;
}

Values ElementEmitter::reduce(const FlatOp &flat, const Elements &at,
                              Memo &memo, Values accumulators) {
  linalg::GenericOp op = flat.op;
  for (auto [i, own] : llvm::enumerate(arguments(flat, at, memo))) {
    llvm::copy(accumulators, own.begin() + op.getNumDpsInputs());
    accumulators = body(flat, own, row(at, i), column(at, i));
  }
  return accumulators;
}

void ElementEmitter::storeResults(const Elements &at, Memo &memo) {
  SmallVector<std::pair<Value, Values>> stores;
  for (const TensorKernel::Result &result : kernel.results()) {
    const FlatOp &maker = *makers.lookup(result.root);
    if (maker.space == Space::Full && !maker.reduces)
      stores.push_back(
          {result.root, values(result.root, Space::Full, at, memo)});
  }
  for (auto &[root, own] : stores) {
    Value buffer = kernel.buffer(root);
    if (at.aligned && at.count == kAccess) {
      storeTogether(b, own, buffer, at.first);
      continue;
    }
    for (int64_t i = 0; i < at.count; ++i)
      memref::StoreOp::create(b, own[i], buffer, b.add(at.first, i));
  }
}

} // namespace graphc
