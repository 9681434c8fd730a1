// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// graphc-run train --evaluate: evaluates the checkpoints of a training that
// another process makes.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TRAIN_CHECKPOINTEVALUATOR_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TRAIN_CHECKPOINTEVALUATOR_H

#include "runtime/base/Status.h"
#include "tools/graphc-run/RunOptions.h"

namespace graphc::run {

/// True with --evaluate, and where TF_CONFIG makes this process an evaluator.
runtime::StatusOr<bool> isEvaluator(const RunOptions &options);

/// Evaluates each new checkpoint until that of the training's end: prints the
/// means of the float scalars of --graph, adds them to the checkpoint, and
/// keeps the best one as DIR/best. The exit code, or why nothing came of it.
runtime::StatusOr<int> runEvaluator(const RunOptions &options);

} // namespace graphc::run

#endif
