// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs as text: parser and verifiers, then the passes up to phase
// differentiated. Any text gives errors at places, or a module that can be
// printed and read again.
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/frontend/CheckText.h"
#include "test/fuzz/Input.h"
#include "test/fuzz/compiler/MutateText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ErrorHandling.h"

#include <optional>

using namespace graphc;
using namespace mlir;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::mt19937 random(seed);
  if (random() % 4 == 0)
    return LLVMFuzzerMutate(data, size, most);
  std::string text(reinterpret_cast<char *>(data), size);
  for (unsigned i = random() % 3 + 1; i > 0; --i)
    text = test::mutateText(text, random);
  text.resize(std::min(text.size(), most));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

/// LLVM's own libraries are not instrumented: what they take from our
/// allocators is not marked, and what they put into our containers neither.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0";
}

namespace {

/// Attributes and types stay in a context for ever, so another one follows
/// after so many inputs.
constexpr int kInputsPerContext = 500;

/// Larger values are refused at the end of phase parsed.
constexpr int64_t kMaxElements = int64_t(1) << 38;

class Compiler {
public:
  Compiler() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registry.insert<tfir::TfirDialect, func::FuncDialect>();
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        last = diagnostic.str();
    });
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    last.clear();
    if (failed(checkText(text, "x.tfir", context))) {
      check(failure());
      return nullptr;
    }
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        text, ParserConfig(&context, /*verifyAfterParse=*/true), "x.tfir");
    check(module ? success() : failure());
    return module;
  }

  LogicalResult run(ModuleOp module,
                    ArrayRef<std::unique_ptr<Pass> (*)()> passes) {
    last.clear();
    PassManager pm(&context);
    for (auto make : passes)
      pm.addPass(make());
    LogicalResult result = pm.run(module);
    check(result);
    return result;
  }

private:
  /// A failure has a cause, which is not a fault of ours.
  void check(LogicalResult result) {
    if (succeeded(result))
      return;
    test::require(!last.empty(), "a failure has a message");
    bool isOurs = StringRef(last).starts_with("internal");
    if (isOurs)
      std::cerr << last << '\n';
    test::require(!isOurs, "no failure is internal");
  }

  MLIRContext context;
  std::string last; ///< error
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

bool isLarge(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return false;
  int64_t elements = 1;
  for (int64_t dim : tensor.getShape())
    if (!ShapedType::isDynamic(dim) &&
        (__builtin_mul_overflow(elements, dim, &elements) ||
         elements > kMaxElements))
      return true;
  return false;
}

bool hasLargeValues(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        for (Type type : op->getResultTypes())
          if (isLarge(type))
            return WalkResult::interrupt();
        for (Region &region : op->getRegions())
          for (Block &block : region)
            for (Type type : block.getArgumentTypes())
              if (isLarge(type))
                return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

std::unique_ptr<Pass> makeBindShapes() {
  BindShapesPassOptions options;
  options.batch = 4;
  return createBindShapesPass(options);
}

std::unique_ptr<Pass> makeFlatten() { return createFlattenDeviceScopesPass(); }
std::unique_ptr<Pass> makeNames() { return createAssignNamesPass(); }
std::unique_ptr<Pass> makeAverages() { return createResolveAveragesPass(); }
std::unique_ptr<Pass> makeDecompose() { return createDecomposePass(); }
std::unique_ptr<Pass> makeDifferentiate() { return createDifferentiatePass(); }

void compile(Compiler &compiler, StringRef text) {
  OwningOpRef<ModuleOp> module = compiler.parse(text);
  if (!module)
    return;
  std::string printed = print(*module);
  OwningOpRef<ModuleOp> again = compiler.parse(printed);
  if (!again)
    std::cerr << printed;
  test::require(bool(again), "what is printed can be read");
  if (failed(compiler.run(*module, {makeFlatten, makeBindShapes, makeNames})) ||
      hasLargeValues(*module))
    return;
  (void)compiler.run(*module, {makeAverages, makeDecompose, makeDifferentiate});
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::optional<Compiler> compiler;
  static int inputs = 0;
  if (inputs++ % kInputsPerContext == 0)
    compiler.emplace();
  std::string_view text = Input(data, size).takeText();
  // MLIR reads up to the first NUL.
  if (text.find('\0') == text.npos)
    compile(*compiler, std::string(text));
  return 0;
}
