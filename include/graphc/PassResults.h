// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results of passes beside the module, which they hand to the compiler.
#ifndef GRAPHC_INCLUDE_GRAPHC_PASSRESULTS_H
#define GRAPHC_INCLUDE_GRAPHC_PASSRESULTS_H

#include <functional>
#include <memory>
#include <string>

namespace graphc {

class PlacementLog;

/// Called with every decision of a placement.
using TakePlacement = std::function<void(std::shared_ptr<const PlacementLog>)>;

/// Returns the log of the placement that was taken; null: none was.
using GivePlacement = std::function<std::shared_ptr<const PlacementLog>()>;

/// Called with the stages of a pipeline in words, lines that end in newlines.
using TakePipeline = std::function<void(std::string)>;

/// Called with what --shard-updates divides in words, lines that end in
/// newlines.
using TakeShards = std::function<void(std::string)>;

/// Called with the JSON of makeReport().
using TakeReport = std::function<void(std::string)>;

} // namespace graphc

#endif
