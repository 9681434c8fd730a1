// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks what tasks rely on when they order the steps of workers.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_INSTANCECHECK_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_INSTANCECHECK_H

#include "runtime/base/Status.h"
#include "runtime/format/model_generated.h"

namespace graphc::runtime {

/// Count of replicas that the state of a step may name: towers, or workers.
uint32_t replicaCount(const format::Graph &graph);

/// Checks Graph.instance, where there is one: it is for one of the workers, its
/// coordinator has a program of it, and the graph that applies gradients is
/// there and writes all that the instance writes. Fails with DATA_LOSS.
/// `budget` is what may still be walked. REQUIRES: every index of the graph was
/// checked.
Status checkInstance(const format::Model &model, const format::Graph &graph,
                     uint64_t &budget);

} // namespace graphc::runtime

#endif
