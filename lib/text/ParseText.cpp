// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/ParseText.h"

#include "dialects/tfir/Tfir.h"
#include "lib/text/build/ModuleBuilder.h"

using namespace mlir;

namespace graphc::text {

static Definitions &definitions() {
  static Definitions all;
  return all;
}

void setDefinitions(Definitions given) { definitions() = std::move(given); }

LogicalResult parseText(StringRef source, StringRef file, ModuleOp module,
                        size_t maxWork) {
  MLIRContext &context = *module.getContext();
  context.getOrLoadDialect<tfir::TfirDialect>();
  Diagnostics diagnostics(context);
  BuildState session(diagnostics, module.getBody(), maxWork);
  ModuleBuilder builder(session, definitions());
  builder.build(source, file);
  if (!diagnostics.hasErrors())
    builder.checkDefinitions(source.data());
  if (!builder.moduleName.empty())
    module.setSymName(builder.moduleName);
  return failure(diagnostics.hasErrors());
}

} // namespace graphc::text
