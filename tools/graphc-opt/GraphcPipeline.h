// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pass pipeline of graphc-opt that runs phases of graphc:
//
//   --graphc-pipeline="parsed..lowered devices=cpu:0-1"
//
// runs the passes that graphc runs between two texts, after the check of the
// first. Without FROM the input is a source, without TO machine code is made.
#ifndef GRAPHC_TOOLS_GRAPHC_OPT_GRAPHCPIPELINE_H
#define GRAPHC_TOOLS_GRAPHC_OPT_GRAPHCPIPELINE_H

namespace graphc {

/// Adds `graphc-pipeline` to MLIR's registry. Call it once.
void registerGraphcPipeline();

} // namespace graphc

#endif
