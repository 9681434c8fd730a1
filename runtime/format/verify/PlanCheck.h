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

/// Checks, for a graph of several programs:
///
/// - each edge has one Send in its source and one Recv in its target, over
///   slots of its size and name, of one type
/// - Graph.order leads every program to its end, and each Recv behind the
///   Sends of its edges: there is no deadlock
/// - all programs meet collectives in one order
/// - each AllReduce has its like in other programs; instructions that a library
///   does the work of serve nothing else; there is no deadlock without
///   them
/// - a value is written before it is read, and no other value lies in its
///   bytes while it is in use; waits order all uses of the same bytes; what is
///   received may arrive from the start of the step on
/// - a variable that is written, and each shard of a dataset, belongs to one
///   program; all shards of a dataset are taken equally often
///
/// It takes time linear in the size of the graph but for a sort of the slots.
/// A graph of one program has no edges and needs no order.
///
/// Fails with DATA_LOSS; the message names the edge, the program, the
/// instruction and the line. REQUIRES: every index of the graph was checked.
///
/// Of a part, the programs that are not here are empty: edges are checked at
/// the ends that are here, and what is said of the programs together (order,
/// collectives, completeness of shards) was checked on the whole plan.
Status checkPlan(const format::Graph &graph, const ProgramSet &isHere);

} // namespace graphc::runtime

#endif
