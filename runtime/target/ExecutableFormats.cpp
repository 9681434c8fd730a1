// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the forms of executables that this build knows.
#include "runtime/format/ExecutableFormat.h"

namespace graphc::runtime {

#define GRAPHC_TARGET(name) const ExecutableFormat &name##Format();
#include "runtime/target/Targets.def"
#undef GRAPHC_TARGET

std::span<const ExecutableFormat *const> executableFormats() {
#define GRAPHC_TARGET(name) &name##Format(),
  static const ExecutableFormat *const kFormats[] = {
#include "runtime/target/Targets.def"
  };
#undef GRAPHC_TARGET
  return kFormats;
}

} // namespace graphc::runtime
