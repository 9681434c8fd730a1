// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which plan of a model is used.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_OPENPLAN_H
#define GRAPHC_TOOLS_GRAPHC_RUN_OPENPLAN_H

#include "runtime/format/Model.h"
#include "tools/graphc-run/Options.h"

#include <memory>

namespace graphc::run {

/// The model's only plan, or that for the number of workers that the flags say.
runtime::StatusOr<std::shared_ptr<const runtime::Model>>
openPlan(const Options &options);

} // namespace graphc::run

#endif
