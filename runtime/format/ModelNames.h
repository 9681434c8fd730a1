// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of a model: checks them, and reads those that were checked.
#ifndef GRAPHC_RUNTIME_FORMAT_MODELNAMES_H
#define GRAPHC_RUNTIME_FORMAT_MODELNAMES_H

#include "runtime/base/DeviceName.h"
#include "runtime/base/Status.h"
#include "runtime/format/Quote.h"
#include "runtime/format/model_generated.h"

#include <string>
#include <string_view>
#include <unordered_set>

namespace graphc::runtime {

/// Fails unless it has the full name of a device, such as
/// "/job:a/replica:0/task:0/device:CPU:0".
Status checkDevice(const format::Device &device);

/// The parts of the name of a device or task in a model; none of what is no
/// name, which is in no verified model.
DeviceName nameOfDevice(std::string_view name);

/// The full name of the device that a program runs on; empty: none that there
/// is, as in no verified model.
inline std::string_view deviceOf(const format::Model &model,
                                 const format::Program &program) {
  if (program.device() >= model.devices()->size())
    return {};
  return viewOf(model.devices()->Get(program.device())->name());
}

/// The full name of the device that a variable is on; empty: any.
inline std::string_view deviceOf(const format::Model &model,
                                 const format::Variable &variable) {
  if (variable.device() >= model.devices()->size())
    return {};
  return viewOf(model.devices()->Get(variable.device())->name());
}

/// True for the variant of a graph that also computes its summaries.
bool isSummaryVariant(const format::Graph &graph);

/// The name of the graph that a variant with summaries stands for: "train" of
/// "train#summary", "train#host" of "train#summary#host"; its own name for
/// other graphs.
std::string nameWithoutSummaries(const format::Graph &graph);

/// The variant of `graph` with summaries; null: it has none.
const format::Graph *findSummaryVariant(const format::Model &model,
                                        const format::Graph &graph);

/// The names of one list: each is there, not empty and not used before.
/// The views must outlive the object. Thread-safety: one thread.
class NameSet {
public:
  Status add(const flatbuffers::String *name);

private:
  std::unordered_set<std::string_view> seen;
};

} // namespace graphc::runtime

#endif
