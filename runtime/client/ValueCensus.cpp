// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/ValueCensus.h"

#include "runtime/base/Suggest.h"

#include <cstdio>

namespace graphc::runtime {

namespace {

/// "3 s", "250 ms".
std::string timeText(int64_t millis) {
  return millis < 1000 ? std::to_string(millis) + " ms"
                       : std::to_string(millis / 1000) + " s";
}

std::string hexText(uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(number));
  return text;
}

} // namespace

std::vector<VariablePlace>
ValueCensus::holders(const ClusterVariable &variable) {
  std::vector<VariablePlace> all;
  if (variable.parts.size() == 1)
    all = variable.parts;
  all.insert(all.end(), variable.mirrors.begin(), variable.mirrors.end());
  return all;
}

std::optional<VariablePlace>
ValueCensus::living(const ClusterVariable &variable) const {
  for (const VariablePlace &place : holders(variable))
    if (hasValues(place.task))
      return place;
  return std::nullopt;
}

std::vector<ValueCensus::Copy> ValueCensus::copies() const {
  std::vector<Copy> copies;
  for (const ClusterVariable &variable : state.variables)
    for (const VariablePlace &place : holders(variable)) {
      if (hasValues(place.task))
        continue;
      if (std::optional<VariablePlace> source = living(variable)) {
        ClusterVariable from{variable.name, source->type, {*source}, {}};
        from.parts[0].offset = 0;
        copies.push_back({std::move(from), place});
      }
    }
  return copies;
}

std::string ValueCensus::lossAt(TaskId task,
                                const std::vector<std::string> &names) const {
  const Description &description = descriptions.at(task);
  std::string text = state.nameOf(task) + " has lost the values of " +
                     quotedList(names) + ": ";
  if (!description.values_lost().empty())
    return text + description.values_lost();
  return text + "it was started anew " + timeText(description.up_ms()) +
         " ago (incarnation " + hexText(description.incarnation()) + ")";
}

Status ValueCensus::findLoss() const {
  std::map<TaskId, std::vector<std::string>> lost;
  for (const ClusterVariable &variable : state.variables) {
    bool hasHolder = living(variable).has_value();
    for (const auto *places : {&variable.parts, &variable.mirrors})
      for (const VariablePlace &place : *places)
        if (!hasValues(place.task) && !hasHolder)
          lost[place.task].push_back(place.name);
  }
  if (lost.empty())
    return Status::ok();
  std::string text;
  for (const auto &[task, names] : lost)
    text += (text.empty() ? "" : "; ") + lossAt(task, names);
  return failedPrecondition(
      text + "; go on from a checkpoint (--load=FILE), or make the values of "
             "all variables anew (--init)");
}

} // namespace graphc::runtime
