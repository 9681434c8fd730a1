// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/ParseText.h"

#include "dialects/tfir/Tfir.h"
#include "lib/text/ModuleBuilder.h"

using namespace mlir;

namespace graphc::text {

static Definitions &definitions() {
  static Definitions all;
  return all;
}

void setDefinitions(Definitions given) { definitions() = std::move(given); }

LogicalResult parseText(StringRef source, StringRef file, Block *top,
                        MLIRContext &context) {
  context.getOrLoadDialect<tfir::TfirDialect>();
  Diagnostics diagnostics(context);
  Session session(diagnostics, top);
  ModuleBuilder builder(session, definitions());
  builder.build(source, file);
  if (!diagnostics.hasErrors())
    builder.checkDefinitions(source.data());
  return failure(diagnostics.hasErrors());
}

} // namespace graphc::text
