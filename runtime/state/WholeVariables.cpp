// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/state/WholeVariables.h"

#include "runtime/base/Suggest.h"

#include <algorithm>

namespace graphc::runtime {

std::vector<WholeVariable> wholeVariables(const Model &model) {
  std::vector<WholeVariable> wholes;
  for (const format::Variable *variable : *model.index().variables()) {
    if (variable->mirror_of() != UINT32_MAX || variable->transient())
      continue;
    TensorType type = toTensorType(*variable->type());
    // Parts follow each other, the one with row 0 first.
    if (variable->part_of() && variable->part_row() != 0)
      wholes.back().type.shape[0] += type.shape[0];
    else
      wholes.push_back(
          {(variable->part_of() ? variable->part_of() : variable->name())
               ->str(),
           std::move(type)});
  }
  return wholes;
}

Status checkCheckpoint(std::span<const WholeVariable> variables,
                       std::span<const NamedType> values, bool isPartial) {
  std::vector<std::string> unknown, missing;
  for (const WholeVariable &variable : variables)
    missing.push_back(variable.name);
  std::string differing;
  for (const NamedType &value : values) {
    auto known = std::find_if(variables.begin(), variables.end(),
                              [&](const WholeVariable &variable) {
                                return variable.name == value.name;
                              });
    if (known == variables.end()) {
      unknown.push_back(value.name);
      continue;
    }
    std::erase(missing, value.name);
    if (value.type != known->type)
      differing += "; '" + value.name + "' is " + value.type.toString() +
                   " there and " + known->type.toString() + " in the model";
  }
  std::string wrong;
  if (!missing.empty() && !isPartial)
    wrong += "; it lacks " + quotedList(missing);
  if (!unknown.empty())
    wrong += "; the model has no variable " + quotedList(unknown);
  wrong += differing;
  return wrong.empty() ? Status::ok()
                       : invalidArgument(
                             "the checkpoint is not one of this model" + wrong);
}

} // namespace graphc::runtime
