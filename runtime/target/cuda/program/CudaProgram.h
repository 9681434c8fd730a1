// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of a GPU as a flat table of what its streams are given.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDAPROGRAM_H
#define GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDAPROGRAM_H

#include "runtime/target/DeviceProgram.h"
#include "runtime/target/cuda/library/GpuLibraries.h"
#include "runtime/target/cuda/program/CudaCollectives.h"
#include "runtime/target/cuda/program/CudaSlots.h"
#include "runtime/target/cuda/program/GpuOrder.h"

namespace graphc::runtime {

/// Inputs of a GPU program; all of them must outlive it.
struct CudaProgramSpec {
  const Model *model = nullptr;
  const format::Graph *graph = nullptr;
  uint32_t program = 0;
  const CudaSlots *slots = nullptr; ///< linked
  /// The first instruction that a step may end before.
  uint32_t firstUpdate = 0;
  CudaCollectives *collectives = nullptr; ///< null: a library makes no sums
};

/// The host walks over the instructions and tells of each one that its turn has
/// come: its own part is done (a batch is in its place), its semaphore is open.
/// Instructions between which the host has nothing to do are one graph segment,
/// which is captured once and replayed as a CUDA graph; where that is not
/// possible, its work is submitted call by call. Nothing is allocated in a
/// step.
///
/// Copies from and to the host have streams of their own, which wait for the
/// kernels' stream, and it for them, only where bytes are the same. Those of
/// the first segment and fetches are branches of its graph. Later values of the
/// host are copied when their turn comes, while earlier segments run, and those
/// that a Send gives to the host while later ones do: awaitSent() waits until
/// they are there.
/// Thread-safety: one call at a time, from any thread.
class CudaProgram final : public DeviceProgram {
public:
  static StatusOr<std::unique_ptr<CudaProgram>>
  create(const CudaProgramSpec &spec);
  ~CudaProgram() override;

  void setStepwise(bool isOn) override { isStepwise = isOn; }
  bool stepwise() const override { return isStepwise; }
  /// Makes graphs of the segments that are more than one call.
  void capture() override;
  void beginStep() override;
  Status submit(uint32_t instruction) override;
  Status repeat(uint32_t instruction) override;
  Status awaitSent(uint32_t instruction) override;
  bool overwritesSent(uint32_t instruction) const override;
  Status await() override;
  uint32_t waitedFor() const override { return waited; }
  uint32_t submitted() const override { return next; }
  Status finish() override;
  std::span<const std::byte> contents(uint32_t slot) override;
  bool isDone(uint32_t instruction) const override;

  /// Count of CUDA graphs that replay a step.
  size_t graphs() const;
  /// Reason why a graph segment is not captured; success if all are.
  const Status &captureFailure() const { return notCaptured; }

private:
  enum class Kind : uint8_t {
    Launch,
    Library,
    Copy,
    FillBytes,
    FillWords,
    Upload,
    Download,
    CopyToPeer,
    Record,
    Await
  };
  /// Operation of a stream, submitted by one call.
  struct Op {
    Kind kind = Kind::Launch;
    GpuStream stream = GpuStream::Compute;
    uint32_t pattern = 0; ///< FillBytes, FillWords
    uint32_t grid = 0, block = 0;
    uint32_t first = 0; ///< Launch: into `parameters`; Library: `pointers`
    uint32_t call = 0;  ///< Library: into `calls`
    cuda::Function function = nullptr;
    cuda::Pointer target = 0, source = 0;
    std::byte *host = nullptr;
    size_t bytes = 0;
    cuda::Context peer = nullptr;
    cuda::Event event = nullptr;
  };
  struct Range {
    uint32_t begin = 0, end = 0; ///< into `ops`
  };
  using Script = std::vector<uint32_t>; ///< into `ops`
  struct Segment {
    Script before; ///< waits for other streams and other GPUs
    Script body;   ///< what the graph does
    Script after;  ///< what they wait for; values for the host
    CudaGraph graph;
    cuda::Event sent = nullptr; ///< when these are there
    uint32_t doneThen = 0;      ///< then, all instructions before are
    bool overwritesSent = false;
  };
  friend class CudaSegmentMaker;

  explicit CudaProgram(const CudaProgramSpec &spec) : spec(spec) {}
  Status addOps();
  Status addInstruction(uint32_t instruction);
  Status addDispatch(const format::Dispatch &dispatch);
  Status addStage(const format::Dispatch &dispatch, uint32_t stage);
  Status addFill(const format::Fill &fill);
  void addSend(uint32_t instruction, const format::Send &send);
  void addRecv(const format::Recv &recv);
  void addOp(const Op &op, GpuUses used);
  void addEvent(Kind kind, GpuStream stream, cuda::Event event, GpuUses used);
  void addUpload(std::byte *host, cuda::Pointer target, size_t bytes);
  void addUpload(uint32_t slot);
  void addDownload(uint32_t slot);
  void addUsedSums(uint32_t instruction);
  void addPrologue();
  void addEpilogue();
  Status makeSegments();
  bool isLeftOut(uint32_t instruction) const;
  bool isOwnSum(uint32_t instruction) const;
  bool usesSums(uint32_t instruction) const {
    return spec.collectives &&
           !spec.collectives->usedAt(spec.program, instruction).empty();
  }
  Status arrive(uint32_t instruction);
  Status awaitSums();
  Status submitAlone(Range range);
  Status submitScript(const Script &script);
  Status submitOp(const Op &op, GpuStream stream);
  Status submitSegment(const Segment &segment);
  cuda::Result call(const Op &op, cuda::Stream queue);
  Range rangeOf(uint32_t instruction) const {
    return {firstOp[instruction], firstOp[instruction + 1]};
  }
  const format::Program &program() const {
    return *spec.graph->programs()->Get(spec.program);
  }
  uint32_t count() const { return program().instructions()->size(); }
  const CudaDevice &device() const { return spec.slots->planDevice().device(); }
  size_t slotBytes(uint32_t slot) const {
    return program().slots()->Get(slot)->size();
  }
  GpuUses usesOfSum(uint32_t reduce) const;
  GpuRange rangeOfSlot(uint32_t slot) const {
    cuda::Pointer begin = spec.slots->address(slot);
    return {begin, begin + slotBytes(slot)};
  }

  CudaProgramSpec spec;
  /// By stream.
  std::array<std::unique_ptr<CudaStream>, kGpuStreams> streams;
  std::vector<Op> ops;       ///< of the instructions; then, what orders streams
  std::vector<GpuUses> uses; ///< by op; only while the table is made
  std::vector<uint32_t> firstOp; ///< by instruction, and the end of the last
  Range epilogue; ///< the fetches; in the last instruction's, too
  std::vector<uint32_t> readyAfter;    ///< by op of the epilogue: instructions
  std::vector<cuda::Pointer> pointers; ///< what launches and calls are given
  std::vector<void *> parameters;      ///< their addresses
  std::vector<std::unique_ptr<GpuLibraryCall>> calls;
  std::vector<CudaBuffer> patterns; ///< of fills that the driver does not have
  std::vector<std::shared_ptr<CudaEvent>> events;
  std::vector<Script> early; ///< by instruction: what does not wait for the
                             ///< rest of its segment
  std::vector<Segment> segments;
  std::vector<uint32_t> segmentEnding; ///< by instruction; kNoSegment
  Status notCaptured;
  std::vector<std::byte> seen; ///< see contents()

  // The step.
  bool isStepwise = false;
  std::array<bool, kGpuStreams> isBusy = {}; ///< was given something and not
                                             ///< waited for
  bool hasSums = false; ///< its instructions may not have waited for all sums
  uint32_t next = 0, waited = 0;

  static constexpr uint32_t kNoSegment = UINT32_MAX;
};

} // namespace graphc::runtime

#endif
