// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Choice of the plan of a model that is used.
#ifndef GRAPHC_TOOLS_FLAGS_OPENPLAN_H
#define GRAPHC_TOOLS_FLAGS_OPENPLAN_H

#include "runtime/format/Model.h"
#include "tools/flags/RunFlags.h"

#include <memory>

namespace graphc::flags {

/// The model's only plan, or that for the number of workers of `cluster`, the
/// value of --cluster, or else of --workers; with `onHost` in the variant whose
/// programs on accelerators are code for the host. `fix` is what to do where a
/// model has several and neither is given.
runtime::StatusOr<std::shared_ptr<const runtime::Model>>
openPlan(const RunFlags &run, const std::string &cluster, bool onHost,
         const std::string &fix = "choose one with --workers=N, or run it on a "
                                  "cluster, e.g. with --local-cluster");

} // namespace graphc::flags

#endif
