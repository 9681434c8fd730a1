// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reduction loops of a micro-kernel: what the other tests compute, without
// multiplications of indices, and no more loops than it takes.
#include "test/lib/target/cpu/ContractionHarness.h"

#include "lib/target/cpu/contraction/MicroKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace graphc;

namespace {

struct LoopCounts {
  int loops = 0;
  int multiplications = 0; ///< within a loop
};

struct Strides {
  int64_t a, b;
};

/// Emits a micro-kernel of `rows` and `columns` steps over 16 columns. The
/// number of rows is an argument of the function if `rows` is negative.
LoopCounts countLoops(int64_t rows, Strides ofRow, int64_t columns,
                      Strides ofColumn) {
  std::unique_ptr<MLIRContext> context = makeKernelContext();
  Location loc = UnknownLoc::get(context.get());
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  KernelBuilder b(loc, context.get());
  b.setInsertionPointToStart(module->getBody());
  Type buffer = MemRefType::get({1 << 20}, b.getF32Type());
  auto function = func::FuncOp::create(
      b, "kernel", b.getFunctionType({buffer, buffer, b.getIndexType()}, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  MicroKernel kernel;
  kernel.a = entry->getArgument(0);
  kernel.b = entry->getArgument(1);
  kernel.aBase = kernel.bBase = entry->getArgument(2);
  kernel.rowOffsets = {0, 1};
  kernel.columns = kernel.width = 16;
  Value zero = b.constant(0);
  Value lastRow = rows < 0 ? entry->getArgument(2) : b.constant(rows);
  kernel.loops = {{zero, lastRow, ofRow.a, ofRow.b},
                  {zero, b.constant(columns), ofColumn.a, ofColumn.b}};
  EXPECT_EQ(emitMicroKernel(b, kernel).size(), 2u);
  func::ReturnOp::create(b);
  EXPECT_TRUE(succeeded(module->verify()));
  LoopCounts counts;
  module->walk([&](scf::ForOp) { ++counts.loops; });
  module->walk([&](arith::MulIOp op) {
    counts.multiplications += op->getParentOfType<scf::ForOp>() != nullptr;
  });
  return counts;
}

TEST(MicroKernel, RowsWithoutAGapAreOneLoop) {
  EXPECT_EQ(countLoops(7, {7 * 3, 7 * 32}, 7, {3, 32}).loops, 1);
  EXPECT_EQ(countLoops(-1, {7 * 3, 7 * 32}, 7, {3, 32}).loops, 1);
}

TEST(MicroKernel, RowsWithAGapStayALoop) {
  EXPECT_EQ(countLoops(7, {9 * 3, 7 * 32}, 7, {3, 32}).loops, 2);
  EXPECT_EQ(countLoops(7, {7 * 3, 9 * 32}, 7, {3, 32}).loops, 2);
}

TEST(MicroKernel, NoIndexIsMultipliedInALoop) {
  EXPECT_EQ(countLoops(7, {9 * 3, 7 * 32}, 7, {3, 32}).multiplications, 0);
  EXPECT_EQ(countLoops(-1, {9 * 3, 7 * 32}, 7, {3, 32}).multiplications, 0);
}

} // namespace
