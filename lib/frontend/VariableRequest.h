// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Request of variables that are not mirrored.
#ifndef GRAPHC_LIB_FRONTEND_VARIABLEREQUEST_H
#define GRAPHC_LIB_FRONTEND_VARIABLEREQUEST_H

#include "runtime/base/DeviceName.h"

namespace graphc {

/// Request of variables that are not mirrored, unless --variable-device names a
/// device: placement chooses which CPU.
inline runtime::DeviceName variableRequest() {
  runtime::DeviceName anyCpu;
  anyCpu.type = "CPU";
  return anyCpu;
}

} // namespace graphc

#endif
