// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused epilogues: every kind of indexing map, in-place updates, several
// results, bools, linalg.index, and bodies that are too long to unroll.
#include "test/lib/target/cpu/ContractionHarness.h"

#include "lib/target/cpu/contraction/Conv2DKernel.h"
#include "lib/target/cpu/contraction/MatmulKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace graphc;

namespace {

using BodyFn =
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, ValueRange)>;

/// A generic op over `extents`: input i has the map inputs[i], a list of
/// dimensions where -1 stands for the constant 0, and the element type
/// types[i]. `body` gets an argument per input and one per result.
linalg::GenericOp makeGeneric(OpBuilder &builder, ArrayRef<int64_t> extents,
                              ArrayRef<SmallVector<int64_t>> inputs,
                              ArrayRef<Type> types, ArrayRef<Type> results,
                              BodyFn body) {
  ImplicitLocOpBuilder b(builder.getUnknownLoc(), builder);
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands, inits;
  SmallVector<Type> resultTypes;
  for (auto [dims, type] : llvm::zip_equal(inputs, types)) {
    SmallVector<AffineExpr> exprs;
    SmallVector<int64_t> shape;
    for (int64_t dim : dims) {
      exprs.push_back(dim < 0 ? b.getAffineConstantExpr(0)
                              : b.getAffineDimExpr(dim));
      shape.push_back(dim < 0 ? 1 : extents[dim]);
    }
    maps.push_back(AffineMap::get(extents.size(), 0, exprs, b.getContext()));
    operands.push_back(tensor::EmptyOp::create(b, shape, type));
  }
  for (Type type : results) {
    maps.push_back(b.getMultiDimIdentityMap(extents.size()));
    inits.push_back(tensor::EmptyOp::create(b, extents, type));
    resultTypes.push_back(inits.back().getType());
  }
  SmallVector<utils::IteratorType> iterators(extents.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, resultTypes, operands, inits, maps, iterators,
      [&](OpBuilder &inner, Location loc, ValueRange arguments) {
        ImplicitLocOpBuilder at(loc, inner);
        linalg::YieldOp::create(at, body(at, arguments));
      });
}

Value constant(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

class EpilogueTest : public testing::Test {
protected:
  static constexpr int64_t kRows = 33, kColumns = 45, kDepth = 20;

  Type memref(ArrayRef<int64_t> shape) { return MemRefType::get(shape, f32()); }
  Type f32() { return Float32Type::get(context.get()); }
  Type integer(unsigned bits) { return IntegerType::get(context.get(), bits); }

  /// Runs a matmul of kRows x kDepth x kColumns with a fused body on every
  /// level and calls `check(product)`. `extra`: the buffers after A and B.
  void run(std::vector<Type> extraTypes,
           function_ref<std::vector<void *>()> extra,
           function_ref<Epilogue(OpBuilder &, ValueRange)> makeEpilogue,
           function_ref<void(const std::vector<double> &)> check) {
    tfir::MatmulSpec spec{kRows, kColumns, kDepth};
    HostBuffer a(kRows * kDepth, 1), b(kDepth * kColumns, 2);
    std::vector<double> product(kRows * kColumns);
    for (int64_t i = 0; i < kRows; ++i)
      for (int64_t k = 0; k < kDepth; ++k)
        for (int64_t j = 0; j < kColumns; ++j)
          product[i * kColumns + j] +=
              double(a[i * kDepth + k]) * b[k * kColumns + j];
    std::vector<Type> types{memref({kRows, kDepth}),
                            memref({kDepth, kColumns})};
    types.insert(types.end(), extraTypes.begin(), extraTypes.end());
    for (const std::string &level : testedLevels()) {
      SCOPED_TRACE(level);
      JitKernel kernel(
          *context, types, planMatmul(spec).scratchBytes, level,
          [&](OpBuilder &builder, const KernelArguments &args) {
            Epilogue epilogue =
                makeEpilogue(builder, args.buffers.drop_front(2));
            EXPECT_TRUE(canFuseEpilogue(epilogue.body, epilogue.accumulator));
            emitMatmul(builder, builder.getUnknownLoc(), spec, args.buffers[0],
                       args.buffers[1], epilogue, args.scratch, args.begin,
                       args.end, tileOf(level));
            epilogue.body->erase();
          });
      std::vector<void *> buffers{a.data(), b.data()};
      for (void *buffer : extra())
        buffers.push_back(buffer);
      kernel.run(buffers, 0, planMatmul(spec).units);
      check(product);
    }
  }

  static void expectNear(const HostBuffer &actual,
                         const std::vector<double> &expected) {
    EXPECT_TRUE(actual.isIntact());
    EXPECT_LE(normwiseError(actual.copy(), expected), 5e-7);
  }

  /// expected[i * kColumns + j] = value(i, j).
  static std::vector<double>
  matrix(function_ref<double(int64_t, int64_t)> value) {
    std::vector<double> result;
    for (int64_t i = 0; i < kRows; ++i)
      for (int64_t j = 0; j < kColumns; ++j)
        result.push_back(value(i, j));
    return result;
  }

  std::unique_ptr<MLIRContext> context = makeKernelContext();
};

TEST_F(EpilogueTest, EveryKindOfMap) {
  HostBuffer full(kRows * kColumns, 3), row(kRows, 4), column(kColumns, 5),
      scalar(1, 6), flat(kColumns, 7), result(kRows * kColumns);
  run(
      {memref({kRows, kColumns}), memref({kRows}), memref({kColumns}),
       memref({}), memref({1, kColumns}), memref({kRows, kColumns})},
      [&] {
        return std::vector<void *>{full.data(),   row.data(),  column.data(),
                                   scalar.data(), flat.data(), result.data()};
      },
      [&](OpBuilder &b, ValueRange buffers) {
        // The accumulator is not the first input.
        auto body = makeGeneric(
            b, {kRows, kColumns}, {{0, 1}, {0, 1}, {0}, {1}, {}, {-1, 1}},
            SmallVector<Type>(6, f32()), {f32()},
            [](ImplicitLocOpBuilder &at, ValueRange v) {
              Value sum = v[0];
              for (Value next : v.drop_front().drop_back())
                sum = arith::AddFOp::create(at, sum, next);
              return SmallVector<Value>{
                  arith::MulFOp::create(at, sum, constant(at, 2.0f))};
            });
        return Epilogue{body,
                        1,
                        {buffers[0], Value(), buffers[1], buffers[2],
                         buffers[3], buffers[4]},
                        {buffers[5]}};
      },
      [&](const std::vector<double> &product) {
        expectNear(result, matrix([&](int64_t i, int64_t j) {
                     int64_t at = i * kColumns + j;
                     return 2 * (product[at] + full[at] + row[i] + column[j] +
                                 scalar[0] + flat[j]);
                   }));
      });
}

TEST_F(EpilogueTest, UpdatesInPlaceAndAverages) {
  size_t size = kRows * kColumns;
  std::unique_ptr<HostBuffer> weight, average;
  HostBuffer weight0(size, 8), average0(size, 9);
  run(
      {memref({kRows, kColumns}), memref({kRows, kColumns})},
      [&] {
        weight = std::make_unique<HostBuffer>(size, 8);
        average = std::make_unique<HostBuffer>(size, 9);
        return std::vector<void *>{weight->data(), average->data()};
      },
      [&](OpBuilder &b, ValueRange buffers) {
        auto body = makeGeneric(
            b, {kRows, kColumns}, {{0, 1}, {0, 1}, {0, 1}},
            SmallVector<Type>(3, f32()), {f32(), f32()},
            [](ImplicitLocOpBuilder &at, ValueRange v) {
              Value step = arith::MulFOp::create(at, v[0], constant(at, 0.25f));
              Value next = arith::SubFOp::create(at, v[1], step);
              Value mean = arith::MulFOp::create(
                  at, arith::AddFOp::create(at, v[2], next),
                  constant(at, 0.5f));
              return SmallVector<Value>{next, mean};
            });
        return Epilogue{body,
                        0,
                        {Value(), buffers[0], buffers[1]},
                        {buffers[0], buffers[1]}};
      },
      [&](const std::vector<double> &product) {
        auto next = [&](int64_t i, int64_t j) {
          int64_t at = i * kColumns + j;
          return weight0[at] - 0.25 * product[at];
        };
        expectNear(*weight, matrix(next));
        expectNear(*average, matrix([&](int64_t i, int64_t j) {
          return 0.5 * (average0[i * kColumns + j] + next(i, j));
        }));
      });
}

TEST_F(EpilogueTest, BoolsAndPositions) {
  // result = keep ? product : 1000 * i + j; positive = product > 0.
  HostBuffer result(kRows * kColumns);
  Type bytes = MemRefType::get({kRows, kColumns}, integer(8));
  HostBuffer keepBytes(kRows * kColumns), positiveBytes(kRows * kColumns);
  auto *keep = reinterpret_cast<uint8_t *>(keepBytes.data());
  auto *positive = reinterpret_cast<uint8_t *>(positiveBytes.data());
  for (int64_t i = 0; i < kRows * kColumns; ++i)
    keep[i] = i % 3 == 0;
  run(
      {bytes, memref({kRows, kColumns}), bytes},
      [&] { return std::vector<void *>{keep, result.data(), positive}; },
      [&](OpBuilder &b, ValueRange buffers) {
        auto body = makeGeneric(
            b, {kRows, kColumns}, {{0, 1}, {0, 1}}, {f32(), integer(1)},
            {f32(), integer(1)}, [&](ImplicitLocOpBuilder &at, ValueRange v) {
              auto position = [&](int64_t dim) -> Value {
                Value index = linalg::IndexOp::create(at, dim);
                Value number =
                    arith::IndexCastOp::create(at, integer(32), index);
                return arith::SIToFPOp::create(at, f32(), number);
              };
              Value place = arith::AddFOp::create(
                  at,
                  arith::MulFOp::create(at, position(0), constant(at, 1e3f)),
                  position(1));
              Value isPositive = arith::CmpFOp::create(
                  at, arith::CmpFPredicate::OGT, v[0], constant(at, 0.0f));
              return SmallVector<Value>{
                  arith::SelectOp::create(at, v[1], v[0], place), isPositive};
            });
        return Epilogue{
            body, 0, {Value(), buffers[0]}, {buffers[1], buffers[2]}};
      },
      [&](const std::vector<double> &product) {
        expectNear(result, matrix([&](int64_t i, int64_t j) {
                     int64_t at = i * kColumns + j;
                     return keep[at] ? product[at] : 1000.0 * i + j;
                   }));
        for (size_t i = 0; i < product.size(); ++i)
          ASSERT_EQ(positive[i], product[i] > 0) << i;
      });
}

TEST_F(EpilogueTest, LongBodyRunsInALoop) {
  HostBuffer column(kColumns, 5), result(kRows * kColumns);
  run(
      {memref({kColumns}), memref({kRows, kColumns})},
      [&] { return std::vector<void *>{column.data(), result.data()}; },
      [&](OpBuilder &b, ValueRange buffers) {
        auto body =
            makeGeneric(b, {kRows, kColumns}, {{0, 1}, {1}}, {f32(), f32()},
                        {f32()}, [](ImplicitLocOpBuilder &at, ValueRange v) {
                          Value x = math::AbsFOp::create(at, v[0]);
                          x = math::SqrtOp::create(at, x);
                          return SmallVector<Value>{math::FmaOp::create(
                              at, x, constant(at, 3.0f), v[1])};
                        });
        return Epilogue{body, 0, {Value(), buffers[0]}, {buffers[1]}};
      },
      [&](const std::vector<double> &product) {
        expectNear(result, matrix([&](int64_t i, int64_t j) {
                     return 3 * std::sqrt(
                                    std::fabs(product[i * kColumns + j])) +
                            column[j];
                   }));
      });
}

TEST_F(EpilogueTest, ConvolutionAddsByImageRowAndChannel) {
  tfir::Conv2DSpec spec{2, 5, 6, 3, 1, 1, 5, 6, 20};
  HostBuffer x(2 * 5 * 6 * 3, 1), w(3 * 20, 2), image(2, 3), row(5, 4),
      channel(20, 5), pixel(6, 6), y(2 * 5 * 6 * 20);
  std::vector<Type> types{memref({2, 5, 6, 3}), memref({1, 1, 3, 20}),
                          memref({2}),          memref({5}),
                          memref({20}),         memref({6}),
                          memref({2, 5, 6, 20})};
  for (const std::string &level : testedLevels()) {
    ContractionPlan plan = planConv2D(spec);
    JitKernel kernel(
        *context, types, plan.scratchBytes, level,
        [&](OpBuilder &b, const KernelArguments &args) {
          auto body =
              makeGeneric(b, {2, 5, 6, 20}, {{0, 1, 2, 3}, {0}, {1}, {3}, {2}},
                          SmallVector<Type>(5, f32()), {f32()},
                          [](ImplicitLocOpBuilder &at, ValueRange v) {
                            Value sum = v[0];
                            for (Value next : v.drop_front().drop_back())
                              sum = arith::AddFOp::create(at, sum, next);
                            return SmallVector<Value>{sum};
                          });
          Epilogue epilogue{body,
                            0,
                            {Value(), args.buffers[2], args.buffers[3],
                             args.buffers[4], args.buffers[5]},
                            {args.buffers[6]}};
          emitConv2D(b, b.getUnknownLoc(), spec, args.buffers[0],
                     args.buffers[1], epilogue, args.scratch, args.begin,
                     args.end, tileOf(level));
          body->erase();
        });
    kernel.run({x.data(), w.data(), image.data(), row.data(), channel.data(),
                pixel.data(), y.data()},
               0, plan.units);
    std::vector<double> expected;
    for (int64_t p = 0; p < 2 * 5 * 6; ++p)
      for (int64_t c = 0; c < 20; ++c) {
        double sum = image[p / 30] + row[p / 6 % 5] + channel[c] + pixel[p % 6];
        for (int64_t k = 0; k < 3; ++k)
          sum += double(x[p * 3 + k]) * w[k * 20 + c];
        expected.push_back(sum);
      }
    expectNear(y, expected);
  }
}

TEST_F(EpilogueTest, RefusesWhatItCannotEmit) {
  OpBuilder b(context.get());
  OwningOpRef<ModuleOp> module = ModuleOp::create(b.getUnknownLoc());
  b.setInsertionPointToStart(module->getBody());
  auto add = [](ImplicitLocOpBuilder &at, ValueRange v) {
    return SmallVector<Value>{arith::AddFOp::create(at, v[0], v[1])};
  };
  auto make = [&](SmallVector<int64_t> first, SmallVector<int64_t> second) {
    return makeGeneric(b, {8, 8}, {first, second}, {f32(), f32()}, {f32()},
                       add);
  };
  EXPECT_TRUE(canFuseEpilogue(make({0, 1}, {0}), 0));
  EXPECT_FALSE(canFuseEpilogue(make({0, 1}, {0}), 1));
  EXPECT_FALSE(canFuseEpilogue(make({0, 1}, {1, 0}), 0));
  EXPECT_FALSE(canFuseEpilogue(make({1, 0}, {0, 1}), 0));
  EXPECT_FALSE(canFuseEpilogue(make({0, 1}, {0, 1}), 2));
  auto readsInit = makeGeneric(b, {8, 8}, {{0, 1}}, {f32()}, {f32()}, add);
  EXPECT_FALSE(canFuseEpilogue(readsInit, 0));
}

} // namespace
