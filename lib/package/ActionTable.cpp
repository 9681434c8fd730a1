// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/package/ActionTable.h"

#include "lib/package/Constants.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace graphc {

namespace {

class ActionWriter {
public:
  ActionWriter(const ActionNumbers &numbers, SharedTables &tables)
      : numbers(numbers), tables(tables) {}

  ActionTable write(exec::InstructionOpInterface op) {
    return TypeSwitch<Operation *, ActionTable>(op)
        .Case(
            [&](exec::DispatchOp dispatch) { return writeDispatch(dispatch); })
        .Case([&](exec::NextOp next) {
          return call(format::HostFunction::NextBatch,
                      numbers.datasets.lookup(next.getDataset()),
                      next.getSlots(), next.getShard(), next.getShards());
        })
        .Case([&](exec::SleepOp sleep) {
          return call(format::HostFunction::Sleep, 0, {}, 0, 1,
                      sleep.getMilliseconds());
        })
        .Case([&](exec::FailOp fail) {
          return call(format::HostFunction::Fail, 0, {}, 0, 1, 0,
                      tables.text(fail.getText()));
        })
        .Case([&](exec::CheckOp check) {
          return call(format::HostFunction::Check, 0, {}, 0, 1, 0,
                      tables.text(check.getText()), check.getFlag());
        })
        .Case([&](exec::PrintOp print) {
          return call(format::HostFunction::Print, 0, {}, 0, 1,
                      print.getElements(), tables.text(print.getText()),
                      print.getValue());
        })
        .Case([&](exec::SendOp send) {
          return writeTransfer(send, format::Action::Send, format::CreateSend);
        })
        .Case([&](exec::RecvOp recv) {
          return writeTransfer(recv, format::Action::Recv, format::CreateRecv);
        })
        .Case([&](exec::FillOp fill) { return writeFill(fill); })
        .Case([&](exec::AllReduceOp reduce) {
          return made(format::Action::AllReduce,
                      tables.table(format::CreateAllReduce, reduce.getNumber(),
                                   slotOf(reduce.getSource()),
                                   slotOf(reduce.getTarget())));
        })
        .Case([&](exec::CopyOp copy) {
          return made(format::Action::Copy,
                      tables.table(format::CreateCopy, slotOf(copy.getSource()),
                                   slotOf(copy.getTarget())));
        });
  }

private:
  template <typename Table>
  static ActionTable made(format::Action kind,
                          flatbuffers::Offset<Table> table) {
    return {kind, table.Union()};
  }

  uint32_t slotOf(Value slot) const { return numbers.slots.lookup(slot); }
  std::vector<uint32_t> slotsOf(ValueRange slots) const {
    std::vector<uint32_t> found;
    for (Value slot : slots)
      found.push_back(slotOf(slot));
    return found;
  }

  ActionTable writeDispatch(exec::DispatchOp dispatch) {
    std::vector<uint32_t> slots = slotsOf(dispatch.getSlots()), outputs;
    for (int64_t position : dispatch.getWrites())
      outputs.push_back(slots[position]);
    return made(format::Action::Dispatch,
                tables.table(format::CreateDispatch,
                             numbers.kernels.lookup(dispatch.getKernel()),
                             tables.list(slots), tables.list(outputs)));
  }

  ActionTable call(format::HostFunction function, uint32_t index,
                   ValueRange slots, uint32_t shard, uint32_t shards,
                   uint64_t value = 0,
                   flatbuffers::Offset<flatbuffers::String> text = 0,
                   ValueRange reads = {}) {
    flatbuffers::Offset<flatbuffers::Vector<uint32_t>> readList = 0;
    if (!reads.empty())
      readList = tables.list(slotsOf(reads));
    return made(format::Action::HostCall,
                tables.table(format::CreateHostCall, function, index,
                             tables.list(slotsOf(slots)), shard, shards, value,
                             text, readList));
  }

  template <typename Op, typename Create>
  ActionTable writeTransfer(Op op, format::Action kind, Create create) {
    std::vector<uint32_t> edges(op.getEdges().begin(), op.getEdges().end());
    return made(kind, tables.table(create, tables.list(edges),
                                   tables.list(slotsOf(op.getSlots()))));
  }

  ActionTable writeFill(exec::FillOp fill) {
    std::vector<char> element = constantBytes(fill.getValue());
    std::vector<uint8_t> pattern(element.begin(), element.end());
    return made(format::Action::Fill,
                tables.table(format::CreateFill, slotOf(fill.getTarget()),
                             tables.list(pattern)));
  }

  const ActionNumbers &numbers;
  SharedTables &tables;
};

} // namespace

ActionTable writeAction(exec::InstructionOpInterface op,
                        const ActionNumbers &numbers, SharedTables &tables) {
  return ActionWriter(numbers, tables).write(op);
}

} // namespace graphc
