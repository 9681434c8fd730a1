// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sums over GPUs of a graph that a library makes; the instructions that the
// plan has for them are then left out.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDACOLLECTIVES_H
#define GRAPHC_RUNTIME_TARGET_CUDA_PROGRAM_CUDACOLLECTIVES_H

#include "runtime/target/cuda/library/NcclGroup.h"
#include "runtime/target/cuda/program/CollectivePlan.h"
#include "runtime/target/cuda/program/CudaSlots.h"

#include <deque>

namespace graphc::runtime {

/// A program arrives at its AllReduce and goes on; the last one of a sum to
/// arrive submits it for all. Events of the devices do the rest, no host waits.
/// Who walks the programs lets none come to its `use` before all have arrived.
/// Thread-safety: programs may arrive at the same time; else one call at a
/// time.
class CudaCollectives final : public Collectives {
public:
  /// Null where the plan's instructions do it all. `programs` by number in the
  /// graph, null for those that are not on a GPU of this process; they and
  /// `gpus` must outlive this.
  static StatusOr<std::unique_ptr<CudaCollectives>>
  create(const format::Graph &graph, std::span<CudaSlots *const> programs,
         const ModelDevices &gpus);

  const Accelerator &accelerator() const override;
  const std::vector<SumTerms> &terms() const override { return termsOf; }
  bool leavesOut(const format::Instruction &instruction) const override {
    return numbers.contains(instruction.collective());
  }

  /// Events that the program records at an AllReduce, and waits for where it
  /// uses it.
  cuda::Event ready(uint32_t program, uint32_t reduce) const;
  cuda::Event done(uint32_t program, uint32_t reduce) const;
  /// The AllReduces of the program whose `use` is the instruction.
  std::vector<uint32_t> usedAt(uint32_t program, uint32_t instruction) const;
  /// All done() of the program.
  std::vector<cuda::Event> allDone(uint32_t program) const;

  void beginStep(uint32_t program);
  /// The program is at its AllReduce and has recorded ready().
  Status arrive(uint32_t program, uint32_t instruction);
  /// True when the sum of an AllReduce was submitted in this step.
  bool isSubmitted(uint32_t program, uint32_t instruction) const;

private:
  struct Sum {
    size_t count = 0; ///< of float32
    NcclGroup *group = nullptr;
    std::vector<NcclTerm> places;                   ///< by term
    std::vector<std::shared_ptr<CudaEvent>> events; ///< of `places`
    mutable Mutex mutex;
    std::vector<char> hasArrived GRAPHC_GUARDED_BY(mutex); ///< by term
    bool isSubmitted GRAPHC_GUARDED_BY(mutex) = false;     ///< in this step
  };
  struct Place {
    size_t sum, term;
  };

  CudaCollectives() = default;
  Status add(const format::Graph &graph, const SumTerms &terms,
             std::span<CudaSlots *const> programs);
  Status addPlace(const format::Program &program, const SumTerm &term,
                  const CudaSlots &slots);
  /// REQUIRES: the instruction is an AllReduce of one of the sums.
  Place placeOf(uint32_t program, uint32_t instruction) const;

  std::set<uint32_t> numbers;    ///< of the AllReduces
  std::vector<SumTerms> termsOf; ///< by sum
  std::deque<Sum> sums;
};

} // namespace graphc::runtime

#endif
