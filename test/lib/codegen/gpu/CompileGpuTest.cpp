// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compileGpu promises beside the code itself: order, names, same bytes.
#include "lib/codegen/gpu/CompileGpu.h"

#include "lib/codegen/CodegenDialects.h"

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
    -> (tensor<8xf32> {graphc.inplace = 0 : i64}) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.abs ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>)
      -> tensor<8xf32>
  return %a : tensor<8xf32>
})";

struct Compiled {
  FailureOr<GpuImage> image = failure();
  std::string messages;
};

Compiled compile(StringRef arch, ArrayRef<StringRef> order) {
  DialectRegistry registry;
  registerCodegenDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Compiled compiled;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    compiled.messages += diagnostic.str() + "\n";
  });
  auto module = parseSourceString<ModuleOp>(kKernels, &context);
  if (module)
    compiled.image = compileGpu(*module, arch, order);
  return compiled;
}

TEST(CompileGpu, ListsKernelsInTheOrderAskedFor) {
  Compiled compiled = compile("sm_90", {"2nd.kernel", "first"});
  ASSERT_TRUE(succeeded(compiled.image));
  const GpuImage &image = *compiled.image;
  EXPECT_EQ(image.arch, "sm_90");
  EXPECT_NE(image.ptx.find(".target sm_90"), std::string::npos);
  ASSERT_EQ(image.kernels.size(), 2u);
  EXPECT_EQ(image.kernels[0].name, "2nd.kernel");
  EXPECT_EQ(image.kernels[0].launches.front().entry, "_2nd_kernel");
  EXPECT_NE(image.ptx.find(".visible .entry _2nd_kernel("), std::string::npos);
  EXPECT_EQ(image.kernels[1].launches.front().entry, "first");
}

TEST(CompileGpu, SameInputSameText) {
  Compiled one = compile("sm_80", {"first"}), two = compile("sm_80", {"first"});
  ASSERT_TRUE(succeeded(one.image) && succeeded(two.image));
  EXPECT_EQ(one.image->ptx, two.image->ptx);
}

TEST(CompileGpu, RefusesNamesThatAreNotThere) {
  Compiled compiled = compile("sm_80", {"first", "third"});
  EXPECT_TRUE(failed(compiled.image));
  EXPECT_NE(compiled.messages.find("there is no kernel 'third'"),
            std::string::npos);
}

} // namespace
