// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification of the programs of a graph.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_PROGRAMVERIFIER_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_PROGRAMVERIFIER_H

#include "runtime/format/verify/GraphVerifier.h"

#include <span>
#include <vector>

namespace graphc::runtime {

/// Verifies one program. Slots come first, so that instructions may rely on
/// them. Thread-safety: one thread.
class ProgramVerifier {
public:
  ProgramVerifier(GraphVerifier &verifier, const format::Graph &graph,
                  const format::Program &program)
      : model(verifier.model), blobs(verifier.blobs),
        executables(verifier.executables), budget(verifier.budget),
        graph(graph), program(program), slots(*program.slots()),
        mentioned(slots.size(), 0) {}

  /// Fails with DATA_LOSS when any index or size of the program is wrong.
  Status check();

private:
  using Indices = flatbuffers::Vector<uint32_t>;

  Status checkUpdates();
  Status checkScratch();
  Status checkSlot(const format::Slot &slot);
  Status checkArena(const format::Slot &slot);
  Status checkVariable(const format::Slot &slot);
  Status checkConstant(const format::Slot &slot, uint64_t bytes);

  Status checkInstruction(uint32_t index);
  Status checkWaits(const format::Instruction &instruction, uint32_t index);
  Status checkOps(const format::FusedOps &ops);
  Status checkDispatch(const format::Dispatch &dispatch, uint32_t index);
  Status checkCopy(const format::Copy &copy);
  Status checkFill(const format::Fill &fill);
  Status checkHostCall(const format::HostCall &call);
  Status checkDebugCall(const format::HostCall &call);
  Status checkReport(const format::HostCall &call);
  Status checkNextBatch(const format::HostCall &call);
  Status checkTransfer(const Indices &edges, const Indices &slotList,
                       bool writes);
  Status checkAllReduce(const format::AllReduce &reduce);

  Status checkSlotIndex(uint32_t index);
  Status checkWritable(uint32_t index);
  Status charge(const Indices &list);

  const format::Model &model;
  BlobVerifier &blobs;
  std::span<const VerifiedExecutable> executables;
  const VerifiedExecutable *own = nullptr; ///< has its kernels
  uint64_t &budget;
  const format::Graph &graph;
  const format::Program &program;
  const flatbuffers::Vector<flatbuffers::Offset<format::Slot>> &slots;
  /// Per slot: 1 + the last dispatch that mentions it.
  std::vector<uint32_t> mentioned;
};

} // namespace graphc::runtime

#endif
