// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A profile as JSON for programs.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_PROFILEJSON_H
#define GRAPHC_TOOLS_GRAPHC_RUN_PROFILE_PROFILEJSON_H

#include "tools/graphc-run/profile/RunProfile.h"

#include <nlohmann/json_fwd.hpp>

namespace graphc::run {

/// All tables with all their rows: docs/profiling.md. Times are in seconds.
nlohmann::ordered_json profileJson(const RunProfile &profile);

} // namespace graphc::run

#endif
