// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a model of some of the graphs of another.
#ifndef GRAPHC_RUNTIME_FORMAT_SELECTGRAPHS_H
#define GRAPHC_RUNTIME_FORMAT_SELECTGRAPHS_H

#include "runtime/format/Model.h"

#include <functional>
#include <string>

namespace graphc::runtime {

struct GraphSelection {
  std::function<bool(const format::Graph &)> keeps;
  /// The name of a kept graph in the new model.
  std::function<std::string(const format::Graph &)> nameOf;
  /// The graphs are those of the plan for so many workers, and so are the
  /// batches of datasets; 0: both stay what they are.
  uint32_t workers = 0;
  /// Names the plan (planDigest()).
  std::string digest;
};

/// The kept graphs as a model of their own, verified as such. Of the plan for
/// so many workers, variables that none of them uses are left out.
StatusOr<std::shared_ptr<const Model>>
selectGraphs(const Model &model, const GraphSelection &selection);

} // namespace graphc::runtime

#endif
