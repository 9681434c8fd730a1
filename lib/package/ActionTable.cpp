// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/package/ActionTable.h"

#include "lib/package/Constants.h"

using namespace mlir;

namespace graphc {

namespace {

class ActionWriter {
public:
  ActionWriter(const ActionNumbers &numbers, SharedTables &tables)
      : numbers(numbers), tables(tables) {}

  ActionTable write(Operation &op) {
    if (auto dispatch = dyn_cast<exec::DispatchOp>(op))
      return writeDispatch(dispatch);
    if (auto next = dyn_cast<exec::NextOp>(op))
      return call(next, format::HostFunction::NextBatch,
                  numbers.datasets.lookup(next.getDataset()), next.getSlots(),
                  next.getShard(), next.getShards());
    if (auto sleep = dyn_cast<exec::SleepOp>(op))
      return call(sleep, format::HostFunction::Sleep, 0, {}, 0, 1,
                  sleep.getMilliseconds());
    if (auto fail = dyn_cast<exec::FailOp>(op))
      return call(fail, format::HostFunction::Fail, 0, {}, 0, 1, 0,
                  tables.text(fail.getText()));
    if (auto send = dyn_cast<exec::SendOp>(op))
      return writeTransfer(send, format::Action::Send, format::CreateSend);
    if (auto recv = dyn_cast<exec::RecvOp>(op))
      return writeTransfer(recv, format::Action::Recv, format::CreateRecv);
    if (auto fill = dyn_cast<exec::FillOp>(op))
      return writeFill(fill);
    if (auto reduce = dyn_cast<exec::AllReduceOp>(op))
      return {format::Action::AllReduce,
              tables
                  .table(format::CreateAllReduce, reduce.getNumber(),
                         slotOf(reduce.getSource()), slotOf(reduce.getTarget()))
                  .Union(),
              reduce.getWaits()};
    auto copy = cast<exec::CopyOp>(op);
    return {format::Action::Copy,
            tables
                .table(format::CreateCopy, slotOf(copy.getSource()),
                       slotOf(copy.getTarget()))
                .Union(),
            copy.getWaits()};
  }

private:
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
    return {format::Action::Dispatch,
            tables
                .table(format::CreateDispatch,
                       numbers.kernels.lookup(dispatch.getKernel()),
                       tables.list(slots), tables.list(outputs))
                .Union(),
            dispatch.getWaits()};
  }

  template <typename Op>
  ActionTable call(Op op, format::HostFunction function, uint32_t index,
                   ValueRange slots, uint32_t shard, uint32_t shards,
                   uint64_t value = 0,
                   flatbuffers::Offset<flatbuffers::String> text = 0) {
    return {format::Action::HostCall,
            tables
                .table(format::CreateHostCall, function, index,
                       tables.list(slotsOf(slots)), shard, shards, value, text)
                .Union(),
            op.getWaits()};
  }

  template <typename Op, typename Create>
  ActionTable writeTransfer(Op op, format::Action kind, Create create) {
    std::vector<uint32_t> edges(op.getEdges().begin(), op.getEdges().end());
    return {kind,
            tables
                .table(create, tables.list(edges),
                       tables.list(slotsOf(op.getSlots())))
                .Union(),
            op.getWaits()};
  }

  ActionTable writeFill(exec::FillOp fill) {
    std::vector<char> element = constantBytes(fill.getValue());
    std::vector<uint8_t> pattern(element.begin(), element.end());
    return {format::Action::Fill,
            tables
                .table(format::CreateFill, slotOf(fill.getTarget()),
                       tables.list(pattern))
                .Union(),
            fill.getWaits()};
  }

  const ActionNumbers &numbers;
  SharedTables &tables;
};

} // namespace

ActionTable writeAction(Operation &op, const ActionNumbers &numbers,
                        SharedTables &tables) {
  return ActionWriter(numbers, tables).write(op);
}

} // namespace graphc
