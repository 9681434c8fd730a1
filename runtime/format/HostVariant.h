// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses between the two variants of a plan's graphs on accelerators: code for
// these, or code for the host's CPU that stands in for them.
#ifndef GRAPHC_RUNTIME_FORMAT_HOSTVARIANT_H
#define GRAPHC_RUNTIME_FORMAT_HOSTVARIANT_H

#include "runtime/format/Model.h"

#include <string_view>

namespace graphc::runtime {

/// Some graphs have a variant whose programs all run on the host.
bool hasHostVariants(const Model &model);

/// True for such a variant, beside which there is the graph itself.
bool isHostVariant(const format::Graph &graph);

/// The model with one variant of each graph, under the graph's plain name, and
/// with all variables: with `onHost` the one for the host. Its digest as a plan
/// (planDigest()) differs with the variant. A model without variants, or a
/// task's part of one, is given back as it is.
StatusOr<std::shared_ptr<const Model>>
takeVariant(std::shared_ptr<const Model> model, bool onHost);

/// FAILED_PRECONDITION where programs on accelerators have no code for the
/// host; `fix` is what helps.
Status checkHostCode(const Model &model, std::string_view fix);

} // namespace graphc::runtime

#endif
