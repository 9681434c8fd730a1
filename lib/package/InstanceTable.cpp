// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/package/InstanceTable.h"

#include "lib/frontend/Instances.h"
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
  DictionaryAttr entries = instanceOf(first);
  if (!entries)
    return {};
  StringRef how = instanceText(entries, kCoordinationEntry);
  bool isQuorum = how == "quorum";
  auto coordination = isQuorum         ? format::Coordination::Quorum
                      : how == "async" ? format::Coordination::Async
                                       : format::Coordination::None;
  std::string coordinator;
  if (isCoordinated(first))
    coordinator = coordinatorOf(programs, variables);
  auto number = [&](StringRef entry) {
    return static_cast<uint32_t>(instanceNumber(entries, entry));
  };
  auto textOf =
      [&](StringRef text) -> flatbuffers::Offset<flatbuffers::String> {
    return text.empty() ? 0 : tables.text(text);
  };
  return tables.table(
      format::CreateInstance, tables.text(instanceText(entries, kOfEntry)),
      number(kWorkerEntry), number(kWorkersEntry), coordination,
      textOf(coordinator),
      entries.contains(kStalenessEntry) ? number(kStalenessEntry)
                                        : kAnyStaleness,
      number(kQuorumEntry),
      textOf(isQuorum ? instanceText(entries, kApplyEntry) : StringRef()));
}

} // namespace graphc
