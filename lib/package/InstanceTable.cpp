// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/package/InstanceTable.h"

#include "runtime/base/DeviceName.h"

#include <optional>

using namespace mlir;

namespace graphc {

namespace {

/// Instance.staleness without a bound.
constexpr uint32_t kAnyStaleness = 0xffffffff;

/// "/job:ps/task:0"
std::string taskOf(const runtime::DeviceName &device) {
  if (!device.job || !device.task)
    return "";
  return "/job:" + *device.job + "/task:" + std::to_string(*device.task);
}

/// The task that has the first of the variables that the programs assign.
std::string coordinatorOf(ArrayRef<exec::ProgramOp> programs,
                          const VariableNumbers &variables) {
  std::optional<uint32_t> first;
  std::string task;
  for (exec::ProgramOp program : programs)
    for (auto op : program.getBlock().getOps<exec::InstructionOpInterface>())
      for (Value slot : op.getWrittenSlots()) {
        auto variable = slot.getDefiningOp<exec::SlotOp>().getVariable();
        if (!variable)
          continue;
        uint32_t number = variables.lookup(*variable);
        if (first && *first <= number)
          continue;
        first = number;
        task = taskOf(program.getDevice().getDeviceName());
      }
  return task;
}

} // namespace

flatbuffers::Offset<format::Instance>
writeInstance(ArrayRef<exec::ProgramOp> programs,
              const VariableNumbers &variables, SharedTables &tables) {
  exec::ProgramOp first = programs.front();
  tfir::InstanceAttr instance = first.getInstanceAttr();
  if (!instance)
    return {};
  auto coordination = [&] {
    switch (instance.getCoordination()) {
    case tfir::UpdateCoordination::None:
      return format::Coordination::None;
    case tfir::UpdateCoordination::Async:
      return format::Coordination::Async;
    case tfir::UpdateCoordination::Quorum:
      return format::Coordination::Quorum;
    }
    llvm_unreachable("unknown coordination");
  }();
  std::string coordinator;
  if (instance.isCoordinated())
    coordinator = coordinatorOf(programs, variables);
  auto textOf =
      [&](StringRef text) -> flatbuffers::Offset<flatbuffers::String> {
    return text.empty() ? 0 : tables.text(text);
  };
  auto number = [](int64_t value) { return static_cast<uint32_t>(value); };
  return tables.table(
      format::CreateInstance, tables.text(instance.getOf()),
      number(instance.getWorker()), number(instance.getWorkers()), coordination,
      textOf(coordinator),
      instance.getStaleness() < 0 ? kAnyStaleness
                                  : number(instance.getStaleness()),
      number(instance.getQuorum()),
      textOf(instance.getApply() ? instance.getApply().getValue()
                                 : StringRef()));
}

} // namespace graphc
