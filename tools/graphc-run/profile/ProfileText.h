// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as tables for people.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_PROFILETEXT_H
#define GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_PROFILETEXT_H

#include "tools/graphc-run/profile/ProfileFlags.h"
#include "tools/graphc-run/profile/RunProfile.h"

namespace graphc::run {

/// The tables that the flags name, each with its sum.
std::string profileText(const RunProfile &profile, const ProfileFlags &flags);

} // namespace graphc::run

#endif
