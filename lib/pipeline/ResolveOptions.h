// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resolves the options that users give to those that the passes get.
#ifndef GRAPHC_LIB_PIPELINE_RESOLVEOPTIONS_H
#define GRAPHC_LIB_PIPELINE_RESOLVEOPTIONS_H

#include "graphc/Options.h"
#include "runtime/base/Status.h"

namespace graphc {

/// The options that follow from the flags about workers, those of the plan for
/// the most of them where there are several. InvalidArgument names the flags
/// that contradict each other, or the cluster.
runtime::StatusOr<CompileOptions> resolveOptions(CompileOptions options);

/// The module is to have several plans. Up to phase 'lowered' each has a text
/// of its own, and only that of the largest is shown.
bool hasVariants(const CompileOptions &options);

} // namespace graphc

#endif
