// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models whose graph "train" has several programs, as the compiler makes them.
#ifndef GRAPHC_TEST_RUNTIME_FORMAT_TESTPLANS_H
#define GRAPHC_TEST_RUNTIME_FORMAT_TESTPLANS_H

#include "test/runtime/format/ModelBuilder.h"

namespace graphc::test {

/// "/job:localhost/replica:0/task:0/device:GPU:<index>".
std::string gpu(uint32_t index);

/// Program 0 on the CPU holds two variables and reads the shards of the data;
/// each of `towers` programs computes two gradients of its shard.
ModelBuilder makeServerPlan(uint32_t towers);

/// Each of `devices` programs has a mirror of each of two variables, whose
/// gradients go around a ring in `devices` chunks, as collectives 1 and 2.
ModelBuilder makeRingPlan(uint32_t devices);

/// Each of `devices` programs has a mirror of each of two variables, for whose
/// gradients there are AllReduce 1 and 2; without a library each sends its own
/// to all others and adds up what it has. With two devices a program is the
/// gradients (#0), a Send (#1), a Recv (#2), the sum (#3) and AllReduce 1 (#4),
/// the same for AllReduce 2 (#5 to #8), and the updates (#9, #10).
ModelBuilder makeLibraryPlan(uint32_t devices);

/// A graph of one program on a GPU: a matrix product with a bias, a convolution
/// with its gradients, and a launch, each a kernel of its own.
ModelBuilder makeGpuModel();

/// The graph "train" of one of these.
GraphSpec &trainOf(ModelBuilder &model);

} // namespace graphc::test

#endif
