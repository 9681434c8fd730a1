// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Graphs on a GPU whose copies from and to the host can run beside kernels, and
// an engine for them.
#ifndef GRAPHC_TEST_RUNTIME_TARGET_CUDA_PROGRAM_OVERLAPMODEL_H
#define GRAPHC_TEST_RUNTIME_TARGET_CUDA_PROGRAM_OVERLAPMODEL_H

#include "test/runtime/executor/TestProgram.h"
#include "test/runtime/target/cuda/program/GpuModels.h"

namespace graphc::test {

/// Ports added to a graph: its feed and its fetch, of two floats each.
struct OverlapPorts {
  uint32_t feed, fetch;
};

/// On GPU:0, with the batch f and the bytes that a value has of another:
///
///     0 a = x + x    1 send a    2 b = x + x    3 send b
///     4 c = b + b (a's bytes)    5 receive d    6 e = c + d (b's)
///     7 f (x's)      8 g = e + f
///
/// On the CPU: d = a + b. So, g = 8 x + f.
OverlapPorts addOverlaps(TestProgram &program);

/// On GPU:0: a = x + x, then draws batch f, which has the bytes of x, and
/// fetches g = a + f.
OverlapPorts addBatchInBytesOfAFeed(TestProgram &program);

/// On GPU:0 and GPU:1 each: a = x + x, which is sent to the CPU and comes back.
/// The programs have the numbers 0 and 1.
void addTwoGpusThatWait(TestProgram &program);

/// On GPU:0: sends variable w to the CPU, adds x to it and sends it again. On
/// the CPU: the sum of both.
OverlapPorts addTwoSendsOfAPlace(TestProgram &program);

/// On GPU:0: op 'Twice' (line 5) adds x to itself, the sum is sent to the CPU,
/// then op 'Wild' (line 7) stores beyond its buffers in steps from number
/// `firstFault` on.
OverlapPorts addFaultBehindASend(TestProgram &program, uint64_t firstFault);

/// Runs the steps of a program's graph on emulated GPUs.
class GpuSteps {
public:
  explicit GpuSteps(TestProgram &program, int threads = 1);

  /// A step with x = {first, first + 1}; gives the fetch of a program.
  std::vector<float> run(OverlapPorts ports, float first, uint32_t program = 0);

  runtime::StepEngine &engine() { return *made; }
  runtime::ModelDevices &gpus() { return *opened; }
  uint64_t next = 0; ///< the number of the next step

private:
  std::unique_ptr<runtime::ModelDevices> opened;
  std::unique_ptr<runtime::StepEngine> made;
};

} // namespace graphc::test

#endif
