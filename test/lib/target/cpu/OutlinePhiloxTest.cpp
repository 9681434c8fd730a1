// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels share functions for the rounds of Philox where a call does not count.
// That the numbers stay the same is what FusedRandomTest and random programs
// say.
#include "lib/target/cpu/OutlinePhilox.h"

#include "lib/target/common/CodegenDialects.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace graphc {
namespace {

/// A kernel with `rounds` rounds on words of a type, which starts from the
/// loads of its only argument and differs from others by the word `stream`.
std::string kernel(const std::string &name, int stream, int elements,
                   const std::string &type = "vector<16xi32>",
                   int rounds = 10) {
  std::string buffer = "memref<" + std::to_string(elements) + "xi32>";
  std::string text = "func.func @" + name + "(%b: " + buffer +
                     ") {\n"
                     "  %at = arith.constant 0 : index\n"
                     "  %s = arith.constant " +
                     std::to_string(stream) +
                     " : i32\n"
                     "  %m = arith.constant -766435501 : i32\n"
                     "  %w = arith.constant -1640531527 : i32\n"
                     "  %key = memref.load %b[%at] : " +
                     buffer + "\n";
  bool isVector = type != "i32";
  auto words = [&](const std::string &result, const std::string &scalar) {
    text += isVector
                ? "  " + result + " = vector.broadcast " + scalar +
                      " : i32 to " + type + "\n"
                : "  " + result + " = arith.addi " + scalar + ", %s : i32\n";
  };
  words("%vs", "%s");
  words("%vk0", "%key");
  if (isVector) {
    words("%vm", "%m");
    words("%vw", "%w");
    text += "  %x0 = vector.load %b[%at] : " + buffer + ", " + type + "\n";
  } else {
    text += "  %x0 = memref.load %b[%at] : " + buffer + "\n";
  }
  std::string m = isVector ? "%vm" : "%m", w = isVector ? "%vw" : "%w";
  for (int i = 0; i < rounds; ++i) {
    std::string n = std::to_string(i), next = std::to_string(i + 1);
    text += "  %l" + n + ", %h" + n + " = arith.mului_extended %x" + n + ", " +
            m + " : " + type + "\n  %y" + n + " = arith.xori %h" + n + ", " +
            (i ? "%l" + std::to_string(i - 1) : "%vs") + " : " + type +
            "\n  %x" + next + " = arith.xori %y" + n + ", %vk" + n + " : " +
            type + "\n  %vk" + next + " = arith.addi %vk" + n + ", " + w +
            " : " + type + "\n";
  }
  std::string last = "%x" + std::to_string(rounds);
  text += isVector ? "  vector.store " + last + ", %b[%at] : " + buffer + ", " +
                         type + "\n"
                   : "  memref.store " + last + ", %b[%at] : " + buffer + "\n";
  return text + "  return\n}\n";
}

class OutlinePhilox : public ::testing::Test {
protected:
  OutlinePhilox() {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Outlines in a module of these kernels, which are valid before and after.
  void outline(const std::string &kernels) {
    module = parseSourceString<ModuleOp>(kernels, &context);
    ASSERT_TRUE(module);
    result = outlinePhilox(*module);
    if (result)
      ASSERT_TRUE(succeeded(verify(*result)));
  }

  int functions() {
    return llvm::count_if(result->getOps<func::FuncOp>(), isOutlined);
  }
  int calls() {
    int count = 0;
    result->walk([&](func::CallOp) { ++count; });
    return count;
  }
  static int products(Operation *op) {
    int count = 0;
    op->walk([&](arith::MulUIExtendedOp) { ++count; });
    return count;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module, result;
};

TEST_F(OutlinePhilox, KernelsThatDifferInWordsShareAFunction) {
  outline(kernel("a", 1, 64) + kernel("b", 2, 64) + kernel("c", 3, 128));
  ASSERT_TRUE(result);
  EXPECT_EQ(functions(), 1);
  EXPECT_EQ(calls(), 3);
  EXPECT_EQ(products(*result), 10);
  EXPECT_EQ(products(*module), 30) << "the module itself stays";
  for (auto func : result->getOps<func::FuncOp>())
    if (isOutlined(func)) {
      // Counter, stream and key; what all lanes have is a scalar.
      EXPECT_EQ(func.getNumArguments(), 3u);
      EXPECT_EQ(llvm::count_if(func.getArgumentTypes(),
                               [](Type type) { return type.isInteger(32); }),
                2);
      // Keys of later rounds are made of scalars, too.
      func.walk(
          [](arith::AddIOp op) { EXPECT_TRUE(op.getType().isInteger(32)); });
    }
}

TEST_F(OutlinePhilox, NamesFollowFromWhatIsComputed) {
  auto name = [&] {
    for (auto func : result->getOps<func::FuncOp>())
      if (isOutlined(func))
        return func.getName().str();
    return std::string();
  };
  outline(kernel("a", 1, 64));
  ASSERT_TRUE(result);
  std::string first = name();
  outline(kernel("other", 7, 256));
  ASSERT_TRUE(result);
  EXPECT_EQ(name(), first);
  outline(kernel("a", 1, 64, "vector<16xi32>", 9));
  ASSERT_TRUE(result);
  EXPECT_NE(name(), first);
}

TEST_F(OutlinePhilox, WidthsHaveFunctionsOfTheirOwn) {
  outline(kernel("a", 1, 64) + kernel("b", 2, 64, "vector<8xi32>") +
          kernel("c", 3, 64, "i32"));
  ASSERT_TRUE(result);
  EXPECT_EQ(functions(), 3);
}

TEST_F(OutlinePhilox, LargeKernelsOfAStepKeepTheirRounds) {
  outline(kernel("a", 1, 1 << 20));
  ASSERT_TRUE(result);
  EXPECT_EQ(functions(), 0);
  EXPECT_EQ(products(*result), 10);

  // First values are computed once.
  setRunsOnce(module->lookupSymbol<func::FuncOp>("a"));
  result = outlinePhilox(*module);
  EXPECT_EQ(functions(), 1);
}

TEST_F(OutlinePhilox, FewRoundsAreNotWorthACall) {
  outline(kernel("a", 1, 64, "vector<16xi32>", 7));
  ASSERT_TRUE(result);
  EXPECT_EQ(functions(), 0);
}

TEST_F(OutlinePhilox, ModulesWithoutProductsAreNotCopied) {
  outline("func.func @a(%b: memref<4xi32>) { return }");
  EXPECT_FALSE(result);
}

} // namespace
} // namespace graphc
