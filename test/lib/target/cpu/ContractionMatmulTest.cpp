// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GEMM kernels against a loop in double precision: tails of every dimension,
// all transposes, chunks of K, any split into ranges, both CPU levels.
#include "test/lib/target/cpu/ContractionHarness.h"

#include "lib/target/cpu/contraction/MatmulKernel.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace graphc;

namespace {

std::vector<double> multiply(const tfir::MatmulSpec &spec, const HostBuffer &a,
                             const HostBuffer &b) {
  std::vector<double> c(spec.m * spec.n);
  for (int64_t i = 0; i < spec.m; ++i)
    for (int64_t k = 0; k < spec.k; ++k) {
      double left = spec.transposeA ? a[k * spec.m + i] : a[i * spec.k + k];
      for (int64_t j = 0; j < spec.n; ++j)
        c[i * spec.n + j] +=
            left * (spec.transposeB ? b[j * spec.k + k] : b[k * spec.n + j]);
    }
  return c;
}

JitKernel compile(MLIRContext &context, const tfir::MatmulSpec &spec,
                  const std::string &level) {
  auto matrix = [&](int64_t rows, int64_t columns, bool transposed) -> Type {
    if (transposed)
      std::swap(rows, columns);
    return MemRefType::get({rows, columns}, Float32Type::get(&context));
  };
  std::vector<Type> types{matrix(spec.m, spec.k, spec.transposeA),
                          matrix(spec.k, spec.n, spec.transposeB),
                          matrix(spec.m, spec.n, false)};
  return JitKernel(context, types, planMatmul(spec).scratchBytes, level,
                   [&](OpBuilder &b, const KernelArguments &arguments) {
                     Epilogue store;
                     store.outputs = {arguments.buffers[2]};
                     emitMatmul(b, b.getUnknownLoc(), spec,
                                arguments.buffers[0], arguments.buffers[1],
                                store, arguments.scratch, arguments.begin,
                                arguments.end, tileOf(level));
                   });
}

void testMatmul(const tfir::MatmulSpec &spec) {
  SCOPED_TRACE(testing::Message()
               << spec.m << "x" << spec.k << "x" << spec.n << " transposed "
               << spec.transposeA << spec.transposeB);
  std::unique_ptr<MLIRContext> context = makeKernelContext();
  ContractionPlan plan = planMatmul(spec);
  HostBuffer a(spec.m * spec.k, 1), b(spec.k * spec.n, 2);
  std::vector<float> first;
  for (const std::string &level : testedLevels()) {
    JitKernel kernel = compile(*context, spec, level);
    for (int64_t step : {plan.units, int64_t(1), int64_t(3)}) {
      HostBuffer c(spec.m * spec.n);
      runInSteps(kernel, {a.data(), b.data(), c.data()}, plan.units, step);
      if (first.empty()) {
        first = c.copy();
        EXPECT_LE(normwiseError(first, multiply(spec, a, b)), 5e-7);
      }
      EXPECT_TRUE(c.isIntact());
      EXPECT_TRUE(haveSameBits(first, c.copy())) << level << " by " << step;
    }
  }
}

void testAllTransposes(int64_t m, int64_t n, int64_t k) {
  for (bool transposeA : {false, true})
    for (bool transposeB : {false, true})
      testMatmul({m, n, k, transposeA, transposeB});
}

TEST(MatmulKernel, SmallestExtents) {
  testMatmul({1, 1, 1});
  testAllTransposes(1, 40, 9);
  testAllTransposes(7, 1, 33);
  testAllTransposes(2, 3, 1);
}

TEST(MatmulKernel, FewColumns) {
  testAllTransposes(100, 10, 50);
  testAllTransposes(61, 8, 100);
}

TEST(MatmulKernel, TailsOfRowsAndColumns) {
  testAllTransposes(15, 33, 17);
  testAllTransposes(45, 100, 19);
  testAllTransposes(28, 32, 16);
}

TEST(MatmulKernel, ChunksOfTheReduction) {
  testAllTransposes(45, 300, 1700);
  testMatmul({3, 20, 1025});
}

TEST(MatmulKernel, RowsThatAliasInTheCache) {
  testMatmul({61, 150, 1024});
  testMatmul({61, 150, 2048, false, true});
}

TEST(MatmulKernel, ManyUnits) {
  EXPECT_GE(planMatmul({1000, 100, 300}).units, 16);
  testAllTransposes(1000, 100, 300);
}

TEST(MatmulKernel, SmallWorkIsOneUnit) {
  EXPECT_EQ(planMatmul({100, 10, 50}).units, 1);
}

TEST(MatmulKernel, PlanCountsWork) {
  ContractionPlan plan = planMatmul({100, 500, 784});
  EXPECT_DOUBLE_EQ(plan.flops, 2.0 * 100 * 500 * 784);
  EXPECT_DOUBLE_EQ(plan.bytes, 4.0 * (100 * 784 + 784 * 500 + 100 * 500));
}

} // namespace
