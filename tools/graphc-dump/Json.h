// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a model as JSON, for other programs.
#ifndef GRAPHC_TOOLS_GRAPHC_DUMP_JSON_H
#define GRAPHC_TOOLS_GRAPHC_DUMP_JSON_H

#include "runtime/format/Model.h"

#include <nlohmann/json.hpp>

namespace graphc::dump {

/// Members for the keys of one object; unlike the text they always hold
/// offsets, sizes and the digest.
nlohmann::ordered_json metadataJson(const runtime::Model &model);
nlohmann::ordered_json portsJson(const format::Graph &graph);
nlohmann::ordered_json scheduleJson(const format::Model &model,
                                    const format::Graph &graph);
nlohmann::ordered_json memoryJson(const format::Model &model,
                                  const format::Graph &graph);
nlohmann::ordered_json kernelsJson(const runtime::Model &model);

} // namespace graphc::dump

#endif
