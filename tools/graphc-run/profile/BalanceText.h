// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of what devices wait for, of stragglers, and of the critical path.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_BALANCETEXT_H
#define GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_BALANCETEXT_H

#include "tools/graphc-run/profile/RunProfile.h"

namespace graphc::run {

/// Of each device: busy, waiting, ready and done; towers and tasks side by
/// side.
std::string balanceText(const RunProfile &profile);

/// At most `top` ops; 0: all.
std::string pathText(const RunProfile &profile, size_t top);

} // namespace graphc::run

#endif
