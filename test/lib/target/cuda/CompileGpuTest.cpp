// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests guarantees of compileGpu beside the code itself: order, names, same
// bytes.
#include "lib/target/cuda/CompileGpu.h"

#include "lib/target/common/CodegenDialects.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace graphc;

namespace {

const char *kKernels = R"(
func.func @first(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
      -> tensor<8xf32>
  return %a : tensor<8xf32>
}
func.func @"2nd.kernel"(%x: tensor<8xf32>)
    -> (tensor<8xf32> {exec.inplace = 0 : i64}) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.abs ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
      -> tensor<8xf32>
  return %a : tensor<8xf32>
})";

struct Compiled {
  FailureOr<GpuCode> code = failure();
  std::string messages;
};

Compiled compile(ArrayRef<StringRef> archs, ArrayRef<StringRef> order) {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Compiled compiled;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    compiled.messages += diagnostic.str() + "\n";
  });
  auto module = parseSourceString<ModuleOp>(kKernels, &context);
  CodeCache none("");
  if (module)
    compiled.code = compileGpu(*module, archs, order, none);
  return compiled;
}

TEST(CompileGpu, ListsKernelsInTheOrderAskedFor) {
  Compiled compiled = compile({"sm_90"}, {"2nd.kernel", "first"});
  ASSERT_TRUE(succeeded(compiled.code));
  const GpuCode &code = *compiled.code;
  ASSERT_EQ(code.kernels.size(), 2u);
  EXPECT_EQ(code.kernels[0].name, "2nd.kernel");
  EXPECT_EQ(code.kernels[0].launches.front().entry, "_2nd_kernel");
  EXPECT_EQ(code.kernels[1].launches.front().entry, "first");
  ASSERT_EQ(code.images.size(), 1u);
  EXPECT_NE(code.images[0].ptx.find(".visible .entry _2nd_kernel("),
            std::string::npos);
}

TEST(CompileGpu, WritesAnImageForEachArchitecture) {
  Compiled compiled = compile({"sm_90", "sm_80"}, {"first"});
  ASSERT_TRUE(succeeded(compiled.code));
  ASSERT_EQ(compiled.code->images.size(), 2u);
  const StringRef archs[] = {"sm_90", "sm_80"};
  for (auto [arch, image] : llvm::zip(archs, compiled.code->images)) {
    EXPECT_EQ(image.arch, arch);
    EXPECT_NE(image.ptx.find(".target " + image.arch), std::string::npos);
  }
}

TEST(CompileGpu, SameInputSameText) {
  Compiled one = compile({"sm_80"}, {"first"});
  Compiled two = compile({"sm_80"}, {"first"});
  ASSERT_TRUE(succeeded(one.code) && succeeded(two.code));
  EXPECT_EQ(one.code->images[0].ptx, two.code->images[0].ptx);
}

TEST(CompileGpu, RefusesNamesThatAreNotThere) {
  Compiled compiled = compile({"sm_80"}, {"first", "third"});
  EXPECT_TRUE(failed(compiled.code));
  EXPECT_NE(compiled.messages.find("there is no kernel 'third'"),
            std::string::npos);
}

} // namespace
