// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolution kernels and both gradients against loops in double precision:
// pads, strides, odd extents, any split into ranges, both CPU levels.
#include "test/lib/target/cpu/ContractionHarness.h"

#include "lib/target/cpu/contraction/Conv2DFilterKernel.h"
#include "lib/target/cpu/contraction/Conv2DKernel.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace graphc;

namespace {

enum class Kind {
  Forward,
  BackpropInput,
  BackpropInputPrepared,
  BackpropFilter
};

int64_t inputSize(const tfir::Conv2DSpec &s) {
  return s.batch * s.inHeight * s.inWidth * s.inChannels;
}
int64_t outputSize(const tfir::Conv2DSpec &s) {
  return s.batch * s.outHeight * s.outWidth * s.outChannels;
}

/// Calls visit(input index, filter index, output index) for every product.
template <typename Visit>
void forEachProduct(const tfir::Conv2DSpec &s, Visit visit) {
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t oh = 0; oh < s.outHeight; ++oh)
      for (int64_t ow = 0; ow < s.outWidth; ++ow)
        for (int64_t kh = 0; kh < s.kernelHeight; ++kh)
          for (int64_t kw = 0; kw < s.kernelWidth; ++kw) {
            int64_t h = oh * s.strideHeight + kh - s.padTop;
            int64_t w = ow * s.strideWidth + kw - s.padLeft;
            if (h < 0 || h >= s.inHeight || w < 0 || w >= s.inWidth)
              continue;
            int64_t out = ((n * s.outHeight + oh) * s.outWidth + ow);
            int64_t in = ((n * s.inHeight + h) * s.inWidth + w);
            int64_t tap = kh * s.kernelWidth + kw;
            for (int64_t ci = 0; ci < s.inChannels; ++ci)
              for (int64_t co = 0; co < s.outChannels; ++co)
                visit(in * s.inChannels + ci,
                      (tap * s.inChannels + ci) * s.outChannels + co,
                      out * s.outChannels + co);
          }
}

/// Longest sum behind one element: its rounding errors add up like a random
/// walk, beyond the 5e-7 that sums of 800 products stay below.
double tolerance(const tfir::Conv2DSpec &s, Kind kind) {
  int64_t taps = s.kernelHeight * s.kernelWidth;
  int64_t length = s.outHeight * s.outWidth;
  if (kind != Kind::BackpropFilter)
    length = taps * (kind == Kind::Forward ? s.inChannels : s.outChannels);
  return 5e-7 * std::sqrt(std::max(1.0, length / 800.0));
}

std::vector<double> reference(const tfir::Conv2DSpec &s, Kind kind,
                              const HostBuffer &x, const HostBuffer &w,
                              const HostBuffer &y) {
  std::vector<double> result;
  if (kind == Kind::Forward) {
    result.resize(outputSize(s));
    forEachProduct(s, [&](int64_t in, int64_t filter, int64_t out) {
      result[out] += double(x[in]) * w[filter];
    });
  } else if (kind == Kind::BackpropFilter) {
    result.resize(s.filterElements());
    forEachProduct(s, [&](int64_t in, int64_t filter, int64_t out) {
      result[filter] += double(x[in]) * y[out];
    });
  } else {
    result.resize(inputSize(s));
    forEachProduct(s, [&](int64_t in, int64_t filter, int64_t out) {
      result[in] += double(y[out]) * w[filter];
    });
  }
  return result;
}

ContractionPlan planOf(const tfir::Conv2DSpec &spec, Kind kind) {
  if (kind == Kind::Forward)
    return planConv2D(spec);
  if (kind == Kind::BackpropFilter)
    return planConv2DBackpropFilter(spec);
  return planConv2DBackpropInput(spec, kind == Kind::BackpropInputPrepared);
}

/// Buffers: the two operands, then the result.
JitKernel compile(MLIRContext &context, const tfir::Conv2DSpec &s, Kind kind,
                  const std::string &level) {
  auto memref = [&](ArrayRef<int64_t> shape) -> Type {
    return MemRefType::get(shape, Float32Type::get(&context));
  };
  ContractionPlan plan = planOf(s, kind);
  Type x = memref({s.batch, s.inHeight, s.inWidth, s.inChannels});
  Type y = memref({s.batch, s.outHeight, s.outWidth, s.outChannels});
  int64_t kh = s.kernelHeight, kw = s.kernelWidth;
  Type w = memref({kh, kw, s.inChannels, s.outChannels});
  bool prepared = kind == Kind::BackpropInputPrepared;
  if (prepared)
    w = memref({kh, kw, s.outChannels, s.inChannels});
  std::vector<Type> types{y, w, x};
  if (kind == Kind::Forward)
    types = {x, w, y};
  if (kind == Kind::BackpropFilter)
    types = {x, y,
             memref({plan.partials, kh, kw, s.inChannels, s.outChannels})};
  return JitKernel(
      context, types, plan.scratchBytes, level,
      [&](OpBuilder &b, const KernelArguments &arguments) {
        auto [buffers, scratch, begin, end] = arguments;
        Location loc = b.getUnknownLoc();
        RegisterTile tile = tileOf(level);
        Epilogue store;
        store.outputs = {buffers[2]};
        if (kind == Kind::Forward)
          emitConv2D(b, loc, s, buffers[0], buffers[1], store, scratch, begin,
                     end, tile);
        else if (kind == Kind::BackpropFilter)
          emitConv2DBackpropFilter(b, loc, s, buffers[0], buffers[1],
                                   buffers[2], scratch, begin, end, tile);
        else
          emitConv2DBackpropInput(b, loc, s, buffers[0], buffers[1], prepared,
                                  store, scratch, begin, end, tile);
      });
}

HostBuffer prepareFilter(MLIRContext &context, const tfir::Conv2DSpec &s,
                         HostBuffer &w, const std::string &level) {
  Type type = MemRefType::get({s.filterElements()}, Float32Type::get(&context));
  JitKernel kernel(context, {type, type}, 0, level,
                   [&](OpBuilder &b, const KernelArguments &arguments) {
                     emitPrepareFilter(
                         b, b.getUnknownLoc(), s, arguments.buffers[0],
                         arguments.buffers[1], arguments.begin, arguments.end);
                   });
  HostBuffer prepared(s.filterElements());
  runInSteps(kernel, {w.data(), prepared.data()}, planPrepareFilter(s).units,
             2);
  return prepared;
}

/// The sum of `partials` pieces that follow each other in `values`.
std::vector<float> sumPartials(const std::vector<float> &values,
                               int64_t partials) {
  size_t size = values.size() / partials;
  std::vector<float> sum(size);
  for (size_t i = 0; i < values.size(); ++i)
    sum[i % size] += values[i];
  return sum;
}

void testKind(const tfir::Conv2DSpec &s, Kind kind) {
  SCOPED_TRACE(testing::Message() << "kind " << int(kind));
  std::unique_ptr<MLIRContext> context = makeKernelContext();
  ContractionPlan plan = planOf(s, kind);
  HostBuffer x(inputSize(s), 1), w(s.filterElements(), 2), y(outputSize(s), 3);
  std::vector<double> expected = reference(s, kind, x, w, y);
  if (kind == Kind::BackpropInputPrepared)
    w = prepareFilter(*context, s, w, testedLevels().back());
  std::vector<float> first;
  for (const std::string &level : testedLevels()) {
    JitKernel kernel = compile(*context, s, kind, level);
    std::vector<void *> operands{y.data(), w.data()};
    if (kind == Kind::Forward)
      operands = {x.data(), w.data()};
    else if (kind == Kind::BackpropFilter)
      operands = {x.data(), y.data()};
    operands.push_back(nullptr);
    for (int64_t step : {plan.units, int64_t(1), int64_t(3)}) {
      HostBuffer result(expected.size() * plan.partials);
      operands.back() = result.data();
      runInSteps(kernel, operands, plan.units, step);
      if (first.empty()) {
        first = result.copy();
        EXPECT_LE(normwiseError(sumPartials(first, plan.partials), expected),
                  tolerance(s, kind));
      }
      EXPECT_TRUE(result.isIntact());
      EXPECT_TRUE(haveSameBits(first, result.copy()))
          << level << " by " << step;
    }
  }
}

void testConv(const tfir::Conv2DSpec &s) {
  for (Kind kind :
       {Kind::Forward, Kind::BackpropInputPrepared, Kind::BackpropFilter})
    testKind(s, kind);
}

/// SAME padding as TensorFlow has it: the odd pixel at the bottom and right.
tfir::Conv2DSpec same(int64_t batch, int64_t height, int64_t width, int64_t ci,
                      int64_t kernel, int64_t co, int64_t stride = 1) {
  tfir::Conv2DSpec s{batch,
                     height,
                     width,
                     ci,
                     kernel,
                     kernel,
                     (height + stride - 1) / stride,
                     (width + stride - 1) / stride,
                     co};
  s.strideHeight = s.strideWidth = stride;
  auto pad = [&](int64_t in, int64_t out) {
    return std::max<int64_t>((out - 1) * stride + kernel - in, 0) / 2;
  };
  s.padTop = pad(height, s.outHeight);
  s.padLeft = pad(width, s.outWidth);
  return s;
}

TEST(Conv2DKernel, LeNetLayers) {
  testConv(same(3, 28, 28, 1, 5, 32));
  testConv(same(2, 14, 14, 32, 5, 64));
}

TEST(Conv2DKernel, PreparesTheFilterItself) {
  testKind(same(2, 14, 14, 32, 5, 64), Kind::BackpropInput);
  testKind(same(1, 9, 8, 3, 4, 20, 2), Kind::BackpropInput);
}

TEST(Conv2DKernel, BatchOfManyUnits) {
  EXPECT_GE(planConv2D(same(40, 9, 9, 8, 3, 24)).units, 16);
  testConv(same(40, 9, 9, 8, 3, 24));
}

TEST(Conv2DKernel, OddExtentsAndChannels) {
  testConv(same(2, 9, 17, 3, 3, 5));
  testConv(same(1, 7, 5, 2, 4, 37));
  testConv(same(1, 1, 1, 1, 3, 1));
  testConv(same(2, 6, 31, 5, 2, 100));
}

TEST(Conv2DKernel, Strides) {
  testConv(same(2, 13, 14, 3, 3, 20, 2));
  testConv(same(1, 28, 27, 3, 7, 33, 3));
  testConv(same(2, 8, 8, 4, 1, 16, 2));
}

TEST(Conv2DKernel, UnequalStridesWithoutPadding) {
  tfir::Conv2DSpec s{2, 17, 20, 4, 3, 5, 8, 6, 12, 2, 3, 0, 0};
  testConv(s);
}

TEST(Conv2DKernel, NoPadding) {
  testConv({2, 12, 12, 16, 3, 3, 10, 10, 32});
  testConv({3, 8, 8, 16, 1, 1, 8, 8, 40});
}

TEST(Conv2DKernel, PaddingBeyondTheKernel) {
  testConv({1, 5, 5, 2, 2, 2, 9, 9, 8, 1, 1, 3, 3});
}

TEST(Conv2DKernel, ColumnsAtTheRightThatNobodyReads) {
  // They must not spill into the zeros at the bottom, or at the left of the
  // next row.
  testConv({2, 6, 6, 3, 3, 1, 3, 3, 8, 2, 2, 0, 0});
  testConv({2, 6, 7, 3, 3, 2, 3, 2, 8, 2, 3, 0, 1});
}

TEST(Conv2DKernel, FilterWithManyRowsPerTap) {
  testConv(same(4, 7, 7, 64, 3, 96));
}

} // namespace
