// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One model with plans for several numbers of workers, its variants: they share
// kernels, variables and datasets, and each has its own form of a graph.
#ifndef GRAPHC_RUNTIME_FORMAT_PLANVARIANTS_H
#define GRAPHC_RUNTIME_FORMAT_PLANVARIANTS_H

#include "runtime/format/Model.h"

#include <set>
#include <string>
#include <string_view>

namespace graphc::runtime {

/// The numbers of workers that a model has plans for; none: it has one plan.
std::set<uint32_t> planVariantsOf(const Model &model);

/// The name of a graph without the number of workers that it is for:
/// "train" of "train#4".
std::string_view sourceNameOf(const format::Graph &graph);

/// The plan for so many workers, as if it were compiled alone, and verified as
/// such: graphs have their plain names, variables that no graph of it uses are
/// left out. It has the name of the model, whose digest is that of the plan
/// (planDigest()). FAILED_PRECONDITION lists the variants where there is no
/// such one. A model with one plan is given back as it is.
StatusOr<std::shared_ptr<const Model>>
takePlanVariant(std::shared_ptr<const Model> model, uint32_t workers);

/// FAILED_PRECONDITION for a model with variants, of which one must be taken
/// first; `fix` is how.
Status checkNoPlanVariants(const Model &model, std::string_view fix);

} // namespace graphc::runtime

#endif
