// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables of a model as its users and checkpoints know them: parts are
// one variable, mirrors and transient variables are none.
#ifndef GRAPHC_RUNTIME_STATE_WHOLEVARIABLES_H
#define GRAPHC_RUNTIME_STATE_WHOLEVARIABLES_H

#include "runtime/data/TensorReader.h"
#include "runtime/format/Model.h"

#include <span>
#include <string>
#include <vector>

namespace graphc::runtime {

using WholeVariable = NamedType;

/// In the order of the model.
std::vector<WholeVariable> wholeVariables(const Model &model);

/// Checks that a checkpoint's values are exactly these variables, with their
/// types, or, where it `isPartial`, some of them; INVALID_ARGUMENT that lists
/// all that is wrong.
Status checkCheckpoint(std::span<const WholeVariable> variables,
                       std::span<const NamedType> values,
                       bool isPartial = false);

} // namespace graphc::runtime

#endif
