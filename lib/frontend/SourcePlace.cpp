// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/frontend/SourcePlace.h"

using namespace mlir;

namespace graphc {

FileLineColLoc placeInSource(ModuleOp module, Location location) {
  auto own = dyn_cast<FileLineColLoc>(module.getLoc());
  FileLineColLoc found;
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place || (own && place.getFilename() != own.getFilename()))
      return WalkResult::advance();
    found = place;
    return WalkResult::interrupt();
  });
  return found;
}

} // namespace graphc
