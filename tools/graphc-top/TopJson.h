// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tasks as JSON, for scripts.
#ifndef GRAPHC_TOOLS_GRAPHC_TOP_TOPJSON_H
#define GRAPHC_TOOLS_GRAPHC_TOP_TOPJSON_H

#include "tools/graphc-top/TaskView.h"

#include <string>
#include <vector>

namespace graphc::top {

/// One line: {"tasks": [...]}; rates per second, times in seconds, sizes in
/// bytes, shares from 0 to 1. What is not known is null.
std::string toJson(const std::vector<TaskView> &tasks);

} // namespace graphc::top

#endif
