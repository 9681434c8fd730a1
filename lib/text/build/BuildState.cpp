// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/build/BuildState.h"

#include "lib/text/Types.h"

using namespace mlir;

namespace graphc::text {

bool BuildState::countWork(const char *place, size_t amount) {
  bool wasGood = work < maxWork;
  work += amount;
  if (work < maxWork)
    return true;
  if (wasGood)
    diagnostics.error(place)
        << "the loops and funcs of this text make more than " << maxWork
        << " operations; is one of them endless?";
  return false;
}

Operation *BuildState::create(OpBuilder &builder, OperationState &state) {
  std::string message;
  {
    ScopedDiagnosticHandler handler(&context(), [&](Diagnostic &diagnostic) {
      if (message.empty())
        message = diagnostic.str();
      return success();
    });
    if (succeeded(state.name.verifyInherentAttrs(
            state.attributes, [&] { return emitError(state.location); })))
      return builder.create(state);
  }
  diagnostics.error(state.location)
      << inWordsOfText(message)
      << "; between backquotes stands exactly what docs/ops.md has for it";
  return nullptr;
}

} // namespace graphc::text
