// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/text/syntax/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

using namespace mlir;

namespace graphc::text {

void Diagnostics::addSource(StringRef source, StringRef file) {
  Source added{source, StringAttr::get(&context, file), {0}};
  for (size_t i = source.find('\n'); i != StringRef::npos;
       i = source.find('\n', i + 1))
    added.lines.push_back(i + 1);
  sources.push_back(std::move(added));
}

FileLineColLoc Diagnostics::locate(const char *place) const {
  for (const Source &source : sources) {
    if (place < source.text.begin() || place > source.text.end())
      continue;
    size_t offset = place - source.text.begin();
    auto line =
        std::upper_bound(source.lines.begin(), source.lines.end(), offset) - 1;
    return FileLineColLoc::get(source.file, line - source.lines.begin() + 1,
                               offset - *line + 1);
  }
  return FileLineColLoc::get(&context, "", 0, 0);
}

InFlightDiagnostic Diagnostics::error(Location location) {
  ++errors;
  return emitError(location);
}

} // namespace graphc::text
