// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts of the text language: lexer, parser, builder and printer. Any text
// gives errors at places, or a module that is printed as a text from which the
// same module is made.
#include "dialects/tfir/Tfir.h"
#include "lib/text/ParseText.h"
#include "lib/text/print/PrintText.h"
#include "test/fuzz/Input.h"

#include "mlir/IR/Verifier.h"

#include <iostream>
#include <optional>

using namespace graphc;
using namespace mlir;

/// LLVM's own libraries are not instrumented: what they take from our
/// allocators is not marked, and what they put into our containers neither.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0";
}

namespace {

/// Attributes and types stay in a context for ever, so another one follows
/// after so many inputs.
constexpr int kInputsPerContext = 500;

/// Of unrolled loops; more would be slow and nothing else.
constexpr size_t kMaxWork = 5000;

class Reader {
public:
  Reader() : context(MLIRContext::Threading::DISABLED) {
    context.getOrLoadDialect<tfir::TfirDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        last = diagnostic.str();
    });
  }

  /// The module of a text; null for one with errors.
  OwningOpRef<ModuleOp> parse(StringRef source) {
    last.clear();
    OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
    if (succeeded(text::parseText(source, "x.tfir", *module, {"", kMaxWork})) &&
        succeeded(verify(*module)))
      return module;
    test::require(!last.empty(), "a failure has a message");
    return nullptr;
  }

private:
  MLIRContext context;
  std::string last; ///< error
};

std::string inMlir(ModuleOp module) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module.print(stream);
  return printed;
}

void read(Reader &reader, StringRef source) {
  OwningOpRef<ModuleOp> module = reader.parse(source);
  if (!module)
    return;
  FailureOr<std::string> printed = text::printText(*module);
  if (failed(printed))
    std::cerr << inMlir(*module);
  test::require(succeeded(printed), "a module of a text can be printed as one");
  OwningOpRef<ModuleOp> again = reader.parse(*printed);
  if (!again || inMlir(*again) != inMlir(*module))
    std::cerr << *printed << inMlir(*module);
  test::require(again && inMlir(*again) == inMlir(*module),
                "the printed text gives the same module");
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static std::optional<Reader> reader;
  static int inputs = 0;
  if (inputs++ % kInputsPerContext == 0)
    reader.emplace();
  std::string source(Input(data, size).takeText());
  // Imports would read files.
  if (text::isText(source) && source.find("import") == source.npos)
    read(*reader, source);
  return 0;
}
