// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program while it is being made: slots by number, and instructions.
#ifndef GRAPHC_LIB_SCHEDULE_PROGRAMBUILDER_H
#define GRAPHC_LIB_SCHEDULE_PROGRAMBUILDER_H

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Support.h"
#include "lib/schedule/Launches.h"
#include "lib/schedule/OrderStep.h"
#include "lib/schedule/PlanArena.h"

#include "llvm/ADT/StringMap.h"

#include <map>
#include <optional>

namespace graphc {

/// The names of values that have been sent, by edge.
using SentNames = std::map<int64_t, std::string>;

/// Makes one program.
class ProgramBuilder {
public:
  ProgramBuilder(StepGraph &step, unsigned program, SentNames &sent)
      : graph(step.graphOf(program)), step(step), program(program), sent(sent) {
  }

  /// Feeds, and copies of old values. Before all others.
  void begin();
  void add(const StepItem &item);
  /// Begins the updates: what is added from here on belongs to them.
  void beginUpdates() {
    if (!updatesFrom && !step.assignments(program).empty())
      updatesFrom = instructions.size();
  }
  /// Assignments and fetches. Behind all others.
  void end();
  size_t size() const { return instructions.size(); }
  exec::ProgramOp emit();

private:
  /// A place of a value, before its op exists.
  struct Slot {
    exec::SlotKind kind;
    mlir::RankedTensorType type;
    std::string name;
    mlir::Location loc;
    llvm::StringRef variable;
    mlir::ElementsAttr value;
    int64_t range = -1;  ///< Arena: index of the live range
    int64_t replica = 0; ///< StepState: whose
    int64_t inside = 0;  ///< Arena: from this byte of the range on
  };

  /// One instruction, with slots by number.
  struct Instruction {
    enum class Kind {
      Dispatch,
      Next,
      Copy,
      Fill,
      Send,
      Recv,
      AllReduce,
      Sleep,
      Fail,
      Check,
      Print
    } kind;
    mlir::Location loc;
    std::string name;
    llvm::SmallVector<unsigned> slots; ///< Copy, AllReduce: source, target
    llvm::SmallVector<int64_t> writes; ///< positions in `slots`
    /// Kernel or dataset; Fail, Check, Print: text.
    llvm::StringRef symbol = {};
    /// Send, Recv: by position. Of a send, collectives may be empty.
    llvm::SmallVector<int64_t> edges = {}, collectives = {};
    /// Send, Recv: program; Next: shard; Sleep: milliseconds; AllReduce:
    /// number; Print: elements.
    int64_t number = 0;
    int64_t shards = 1;            ///< Next
    mlir::ElementsAttr value = {}; ///< Fill: one element
    int64_t serves = 0; ///< the AllReduce that it only is for; 0: none
    /// An instruction to wait for, beside those that use the same bytes.
    std::optional<int64_t> after = {};
  };

  unsigned slotOf(mlir::Value value);
  unsigned typedSlotOf(mlir::Value value, mlir::Location loc);
  unsigned endSlotOf(mlir::Value value);
  unsigned addArena(mlir::RankedTensorType type, llvm::StringRef name,
                    mlir::Location loc);
  unsigned addView(unsigned slot, mlir::RankedTensorType type,
                   int64_t inside = 0);
  unsigned addAlias(unsigned slot, mlir::Value value);
  unsigned storageSlotOf(mlir::Value storage);
  unsigned variableSlot(llvm::StringRef variable, mlir::RankedTensorType type,
                        mlir::Location loc);
  unsigned stepStateSlot(int64_t replica, mlir::Location loc);
  void use(unsigned slot, int64_t at);
  void addCopy(unsigned source, unsigned target, mlir::Location loc,
               llvm::StringRef name);
  void stageOldValues();
  void addDispatch(exec::LaunchOp launch);
  void addNext(tfir::NextOp next);
  void addDebug(mlir::Operation *op);
  void addReport(mlir::Operation *op);
  void addAllReduce(tfir::AllReduceOp reduce);
  void addFill(mlir::ElementsAttr value, unsigned target,
               tfir::AssignOp assign);
  void addSend(llvm::ArrayRef<mlir::Operation *> sends);
  void addRecv(llvm::ArrayRef<mlir::Operation *> recvs);
  llvm::SmallVector<llvm::SmallVector<int64_t>> findWaits();
  mlir::Operation *create(mlir::OpBuilder &b, const Instruction &instruction,
                          llvm::ArrayRef<mlir::Value> slots,
                          llvm::ArrayRef<int64_t> waits);

  /// A feed or a fetch: its name, its slot, its place among those of the graph.
  struct Port {
    llvm::StringRef name;
    unsigned slot;
    int64_t order;
  };
  std::vector<Port> portsOf(mlir::ArrayAttr names,
                            mlir::DenseI64ArrayAttr order);

  tfir::GraphOp graph;
  StepGraph &step;
  unsigned program;
  SentNames &sent;
  std::vector<Slot> slots;
  std::vector<Instruction> instructions;
  llvm::SmallVector<LiveRange> ranges;
  llvm::DenseMap<mlir::Value, unsigned> places;
  /// Old values that are needed at the end.
  llvm::DenseMap<mlir::Value, unsigned> staged;
  llvm::StringMap<unsigned> variables;
  std::map<int64_t, unsigned> stepStates; ///< by replica
  std::vector<Port> feeds, fetches;
  std::optional<int64_t> updatesFrom; ///< the first instruction of updates
};

/// The name that a value has in the program; empty when nobody gave it one.
std::string givenName(mlir::Value value);
std::string givenName(mlir::Operation *op);

} // namespace graphc

#endif
