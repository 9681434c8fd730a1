// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations that a text calls with a func as their body.
#ifndef GRAPHC_LIB_TEXT_FUNCCALLS_H
#define GRAPHC_LIB_TEXT_FUNCCALLS_H

#include "lib/text/Signatures.h"

namespace graphc::text {

/// True for recompute and custom_gradient.
bool takesFunc(const OpSignature &op);

} // namespace graphc::text

#endif
