// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Interface of instructions: the slots, edges and sums that one uses.
#ifndef GRAPHC_DIALECTS_EXEC_EXECINTERFACES
#define GRAPHC_DIALECTS_EXEC_EXECINTERFACES

include "mlir/IR/OpBase.td"

def InstructionOpInterface : OpInterface<"InstructionOpInterface"> {
  let cppNamespace = "::graphc::exec";
  let description = [{
    An instruction of a program. Passes and verifiers learn from it what an
    instruction uses, so that a new one touches this dialect, the writer of the
    file and the runtime only.
  }];
  let methods = [
    InterfaceMethod<
      [{Returns the slots that the instruction may read: of a kernel and of an
        all_reduce also those that it writes.}],
      "::llvm::SmallVector<::mlir::Value>", "getReadSlots">,
    InterfaceMethod<
      "Returns the slots that the instruction writes.",
      "::llvm::SmallVector<::mlir::Value>", "getWrittenSlots">,
    InterfaceMethod<
      "Returns the indices of the instructions that must have finished before.",
      "::llvm::ArrayRef<int64_t>", "getWaits">,
    InterfaceMethod<
      "Sets the indices of the instructions that must have finished before.",
      "void", "setWaits", (ins "::llvm::ArrayRef<int64_t>":$waits)>,
    InterfaceMethod<
      [{Returns the number of the all_reduce that the instruction is decomposed
        from; none: it has other uses.}],
      "::std::optional<uint64_t>", "getServes">,
    InterfaceMethod<
      [{Returns true for what the runtime does itself, as the take of a batch.}],
      "bool", "isHostCall", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<
      [{Returns the edges over which the slots that it reads are sent, one per
        slot.}],
      "::llvm::ArrayRef<int64_t>", "getSentEdges", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<
      [{Returns the edges over which the slots that it writes are received, one
        per slot.}],
      "::llvm::ArrayRef<int64_t>", "getReceivedEdges", (ins), [{}],
      [{ return {}; }]>,
    InterfaceMethod<
      "Returns the index of the program at the other endpoint of its edges.",
      "::std::optional<uint64_t>", "getPeer", (ins), [{}],
      [{ return ::std::nullopt; }]>,
    InterfaceMethod<
      "Returns the number of the sum over programs that the instruction makes.",
      "::std::optional<uint64_t>", "getAllReduceNumber", (ins), [{}],
      [{ return ::std::nullopt; }]>];
  let verify = "return ::graphc::exec::verifyInstruction($_op);";
}

#endif
