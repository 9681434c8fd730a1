// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients read and write a task's variables. Here each mirror and each part of
// a variable goes by its own name in the plan; a client puts parts together and
// writes to mirrors, too.
#include "runtime/data/TypeCheck.h"
#include "runtime/format/Quote.h"
#include "runtime/task/TaskState.h"

#include <algorithm>

namespace graphc::runtime {

Status TaskMachine::State::read(const RequestKey &key,
                                const protocol::Request::Read &request,
                                int64_t deadline) {
  if (request.has_snapshot())
    return readSnapshot(key, request, deadline);
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(request.plan()));
  Reading reading;
  GRAPHC_ASSIGN_OR_RETURN(reading.type, plan->variableType(request.variable()));
  GRAPHC_ASSIGN_OR_RETURN(reading.bytes,
                          plan->readVariable(request.variable(), reading.copy));
  reading.name = request.variable();
  reading.plan = request.plan();
  requests.open(key);
  reads.emplace(key, std::move(reading));
  return Status::ok();
}

/// Sends pieces of variables to clients that have room for them.
bool TaskMachine::State::pumpReads() {
  bool moved = false;
  for (auto it = reads.begin(); it != reads.end();) {
    auto &[key, reading] = *it;
    if (!world.clients.canReply(key.client)) {
      ++it;
      continue;
    }
    size_t size =
        std::min(kMostPieceBytes, reading.bytes.size() - reading.offset);
    protocol::Reply reply;
    reply.set_id(key.id);
    protocol::Piece &piece = *reply.mutable_value();
    piece.set_name(reading.name);
    piece.set_dtype(static_cast<uint32_t>(reading.type.dtype));
    for (int64_t dimension : reading.type.shape)
      piece.add_shape(dimension);
    piece.set_offset(reading.offset);
    piece.set_total(reading.bytes.size());
    piece.set_data(reinterpret_cast<const char *>(reading.bytes.data()) +
                       reading.offset,
                   size);
    reading.offset += size;
    bool isLast = reading.offset == reading.bytes.size();
    reply.set_last(isLast);
    world.clients.reply(key.client, std::move(reply));
    moved = true;
    if (isLast) {
      requests.close(key);
      it = reads.erase(it);
    }
  }
  return moved;
}

Status TaskMachine::State::write(const RequestKey &key,
                                 const protocol::Request::Write &request) {
  auto found = writes.find(key);
  if (found == writes.end()) {
    requests.open(key);
    found =
        writes
            .emplace(key, Assembly{request.plan(), request.value().name(), {}})
            .first;
  }
  Assembly &assembly = found->second;
  auto finish = [&](Status status) {
    writes.erase(key);
    return status;
  };
  StatusOr<PlanState *> plan = plans.use(assembly.plan);
  if (!plan.isOk())
    return finish(plan.status());
  StatusOr<TensorType> type = (*plan)->variableType(assembly.name);
  if (!type.isOk())
    return finish(type.status());
  StatusOr<TensorType> given = typeOf(request.value());
  if (!given.isOk())
    return finish(given.status());
  size_t bytes = type->numBytes();
  if (*given != *type || request.value().total() != bytes ||
      request.value().name() != assembly.name)
    return finish(invalidArgument("variable " + quote(assembly.name) + " is " +
                                  type->toString() + ", but the value is " +
                                  given->toString()));
  Status status = assembly.buffer.add(request.value(), bytes);
  if (!status.isOk())
    return finish(status);
  if (!assembly.buffer.isComplete())
    return status;
  HostTensor value{*type, assembly.buffer.take()};
  Status written = checkBools(value, assembly.name);
  if (written.isOk())
    written = (*plan)->writeVariable(assembly.name, value.bytes);
  GRAPHC_TRY(finish(written));
  requests.done(key);
  return Status::ok();
}

} // namespace graphc::runtime
