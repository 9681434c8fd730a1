// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The proof that the programs of a graph fit together.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_PLANCHECK_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_PLANCHECK_H

#include "runtime/base/Status.h"
#include "runtime/format/model_generated.h"

#include <vector>

namespace graphc::runtime {

/// By number: whether the program is in this file.
using ProgramSet = std::vector<bool>;

/// Checks that each edge has one Send in its source and one Recv in its target,
/// over slots of its size and name, of one type, and that the programs fit
/// together: see checkPlanView(), which the compiler uses as well.
///
/// It takes time linear in the size of the graph but for a sort of the slots.
/// A graph of one program has no edges and needs no order.
///
/// Fails with DATA_LOSS; the message names the edge, the program, the
/// instruction and the line. REQUIRES: every index of the graph was checked.
///
/// Of a part, the programs that are not here are empty, and edges are checked
/// at the endpoints that are here.
Status checkPlan(const format::Model &model, const format::Graph &graph,
                 const ProgramSet &isHere);

} // namespace graphc::runtime

#endif
