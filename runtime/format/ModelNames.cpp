// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/ModelNames.h"

namespace graphc::runtime {

Status checkDevice(const format::Device &device) {
  if (nameOfDevice(viewOf(device.name())).isFull())
    return Status::ok();
  return dataLoss("it is no full name of a device");
}

DeviceName nameOfDevice(std::string_view name) {
  StatusOr<DeviceName> parsed = DeviceName::parse(name);
  return parsed.isOk() ? std::move(parsed).value() : DeviceName();
}

bool isSummaryVariant(const format::Graph &graph) {
  return graph.summaries() && graph.summaries()->size() > 0;
}

std::string nameWithoutSummaries(const format::Graph &graph) {
  constexpr std::string_view kMark = "#summary";
  std::string name(viewOf(graph.name()));
  if (!isSummaryVariant(graph))
    return name;
  size_t at = name.rfind(kMark);
  if (at == name.npos ||
      (at + kMark.size() < name.size() && name[at + kMark.size()] != '#'))
    return name;
  return name.erase(at, kMark.size());
}

const format::Graph *findSummaryVariant(const format::Model &model,
                                        const format::Graph &graph) {
  for (const format::Graph *each : *model.graphs())
    if (isSummaryVariant(*each) &&
        nameWithoutSummaries(*each) == viewOf(graph.name()))
      return each;
  return nullptr;
}

Status NameSet::add(const flatbuffers::String *name) {
  if (viewOf(name).empty())
    return dataLoss("its name is empty");
  if (!seen.insert(viewOf(name)).second)
    return dataLoss("its name is used twice");
  return Status::ok();
}

} // namespace graphc::runtime
