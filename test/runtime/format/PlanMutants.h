// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One mistake in a plan. Each kind is wrong wherever it is made: what would
// leave an equal plan is not made.
#ifndef GRAPHC_TEST_RUNTIME_FORMAT_PLANMUTANTS_H
#define GRAPHC_TEST_RUNTIME_FORMAT_PLANMUTANTS_H

#include "test/runtime/format/ModelBuilder.h"

#include <random>

namespace graphc::test {

/// The number of kinds of mistakes.
size_t mutationCount();

/// Makes a mistake of kind `kind` at a random place of a random graph with
/// several programs. Gives what was done, or nothing when the model has no
/// place for it. REQUIRES: the model is from readModel().
std::optional<std::string> mutate(ModelBuilder &model, size_t kind,
                                  std::mt19937 &random);

} // namespace graphc::test

#endif
