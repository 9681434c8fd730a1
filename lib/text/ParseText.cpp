// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/ParseText.h"

#include "dialects/tfir/Tfir.h"
#include "lib/text/build/ModuleBuilder.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace graphc::text {

static Definitions &definitions() {
  static Definitions all;
  return all;
}

void setDefinitions(Definitions given) { definitions() = std::move(given); }

/// Verifies what the calls of a text have not: the module, what is in it,
/// scopes and ends of blocks, and all uses of symbols. Errors stand at places
/// of the text.
static LogicalResult verifyRest(ModuleOp module) {
  bool good = succeeded(verify(module, /*verifyRecursively=*/false));
  module.walk([&](Operation *op) {
    bool isRest = op->getNumRegions() > 0 ||
                  op->hasTrait<OpTrait::IsTerminator>() ||
                  op->getParentOp() == module;
    if (op != module && isRest)
      good &= succeeded(op->getName().verifyInvariants(op));
  });
  return success(good);
}

LogicalResult parseText(StringRef source, StringRef file, ModuleOp module,
                        const ParseSettings &settings) {
  MLIRContext &context = *module.getContext();
  context.getOrLoadDialect<tfir::TfirDialect>();
  Diagnostics diagnostics(context);
  BuildState session(diagnostics, module.getBody(), settings.maxWork);
  session.observer = settings.observer;
  ModuleBuilder builder(session, definitions());
  // Places are found in what was added first.
  StringRef whole = settings.whole;
  if (whole.begin() <= source.begin() && source.end() <= whole.end())
    diagnostics.addSource(whole, file);
  builder.build(source, file);
  if (!diagnostics.hasErrors())
    builder.checkDefinitions(source.data());
  if (!builder.moduleName.empty())
    module.setSymName(builder.moduleName);
  return failure(diagnostics.hasErrors() || mlir::failed(verifyRest(module)));
}

} // namespace graphc::text
