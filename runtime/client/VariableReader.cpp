// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/VariableReader.h"

#include "runtime/protocol/Chunks.h"
#include "runtime/protocol/TaskFailure.h"

namespace graphc::runtime {

/// Sends a value to a place of it.
void sendValue(ClientMachine::State &state, const VariablePlace &place,
               std::span<const std::byte> bytes,
               ClientMachine::State::Handler handler) {
  uint64_t id = 0;
  splitIntoChunks(
      place.name, &place.type, bytes, [&](protocol::Chunk chunk, bool) {
        protocol::Request request;
        request.mutable_write()->set_plan(state.digest);
        *request.mutable_write()->mutable_value() = std::move(chunk);
        if (id == 0)
          id = state.request(place.task, std::move(request), handler,
                             state.options.controlNanos);
        else
          state.sendMore(place.task, id, std::move(request));
      });
}

void VariableReader::start(ClientMachine::State &state,
                           const ClusterVariable &variable, Done whenDone) {
  done = std::move(whenDone);
  value.type = variable.type;
  isOver = false;
  value.bytes.assign(variable.type.numBytes(), std::byte(0));
  missing = variable.parts.size();
  got.assign(missing, 0);
  for (size_t i = 0; i < variable.parts.size() && !isOver; ++i) {
    const VariablePlace &part = variable.parts[i];
    protocol::Request request;
    request.mutable_read()->set_plan(state.digest);
    request.mutable_read()->set_variable(part.name);
    if (state.snapshotTasks.count(part.task))
      *request.mutable_read()->mutable_snapshot() = state.snapshot;
    state.request(
        part.task, std::move(request),
        [this, &part, i](TaskId, const protocol::Reply &reply) {
          take(part, i, reply);
        },
        state.options.controlNanos);
  }
}

void VariableReader::take(const VariablePlace &part, size_t number,
                          const protocol::Reply &reply) {
  if (isOver)
    return;
  if (reply.has_failure())
    return end(toStatus(reply.failure()));
  const protocol::Chunk &chunk = reply.value();
  size_t size = part.type.numBytes();
  size_t &at = got[number];
  if (chunk.total() != size || chunk.offset() != at ||
      chunk.data().size() > size - at)
    return end(internalError("variable '" + part.name +
                             "' has another size at its task"));
  std::memcpy(value.bytes.data() + part.offset + at, chunk.data().data(),
              chunk.data().size());
  at += chunk.data().size();
  if (!reply.last())
    return;
  if (at != size)
    return end(internalError("variable '" + part.name + "' came in part"));
  if (--missing == 0)
    end(Status::ok());
}

void VariableReader::end(const Status &status) {
  isOver = true;
  done(status);
}

} // namespace graphc::runtime
