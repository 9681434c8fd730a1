// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/plans/VariableService.h"

#include "runtime/data/TypeCheck.h"
#include "runtime/format/Quote.h"

#include <algorithm>

namespace graphc::runtime {

Status VariableService::read(const RequestKey &key,
                             const protocol::Request::Read &request) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(request.plan()));
  Reading reading{request.plan(), request.variable(), {}, {}, {}};
  GRAPHC_ASSIGN_OR_RETURN(reading.type, plan->variableType(request.variable()));
  GRAPHC_ASSIGN_OR_RETURN(reading.bytes,
                          plan->readVariable(request.variable(), reading.copy));
  requests.open(key);
  reads.insert_or_assign(key, std::move(reading));
  return Status::ok();
}

void VariableService::send(const RequestKey &key,
                           const protocol::Request::Read &request,
                           const TensorType &type,
                           std::vector<std::byte> copy) {
  Reading reading{
      request.plan(), request.variable(), type, std::move(copy), {}};
  reading.bytes = reading.copy; // the bytes stay where they are when it moves
  requests.open(key);
  reads.insert_or_assign(key, std::move(reading));
}

protocol::Reply VariableService::nextChunk(Reading &reading) {
  size_t size = std::min(kMaxChunkBytes, reading.bytes.size() - reading.offset);
  protocol::Reply reply;
  protocol::Chunk &chunk = *reply.mutable_value();
  chunk.set_name(reading.name);
  chunk.set_dtype(static_cast<uint32_t>(reading.type.dtype));
  for (int64_t dimension : reading.type.shape)
    chunk.add_shape(dimension);
  chunk.set_offset(reading.offset);
  chunk.set_total(reading.bytes.size());
  chunk.set_data(reinterpret_cast<const char *>(reading.bytes.data()) +
                     reading.offset,
                 size);
  reading.offset += size;
  return reply;
}

bool VariableService::pump() {
  bool moved = false;
  for (auto it = reads.begin(); it != reads.end();) {
    auto &[key, reading] = *it;
    if (!clients.canReply(key.client)) {
      ++it;
      continue;
    }
    moved = true;
    protocol::Reply reply = nextChunk(reading);
    if (reading.offset < reading.bytes.size()) {
      reply.set_id(key.id);
      clients.reply(key.client, std::move(reply));
      ++it;
      continue;
    }
    requests.answer(key, std::move(reply));
    it = reads.erase(it);
  }
  return moved;
}

Status VariableService::write(const RequestKey &key,
                              const protocol::Request::Write &request) {
  auto found = writes.find(key);
  if (found == writes.end()) {
    requests.open(key);
    found =
        writes.emplace(key, Writing{request.plan(), request.value().name(), {}})
            .first;
  }
  bool isWritten = false;
  Status status = addChunk(found->second, request.value(), isWritten);
  if (!status.isOk() || isWritten)
    writes.erase(found);
  if (isWritten)
    requests.done(key);
  return status;
}

Status VariableService::addChunk(Writing &writing, const protocol::Chunk &chunk,
                                 bool &isWritten) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(writing.plan));
  GRAPHC_ASSIGN_OR_RETURN(TensorType type, plan->variableType(writing.name));
  GRAPHC_ASSIGN_OR_RETURN(TensorType given, typeOf(chunk));
  size_t bytes = type.numBytes();
  if (given != type || chunk.total() != bytes || chunk.name() != writing.name)
    return invalidArgument("variable " + quote(writing.name) + " is " +
                           type.toString() + ", but the value is " +
                           given.toString());
  GRAPHC_TRY(writing.buffer.add(chunk, bytes));
  if (!writing.buffer.isComplete())
    return Status::ok();
  HostTensor value{type, writing.buffer.take()};
  GRAPHC_TRY(checkBools(value, writing.name));
  GRAPHC_TRY(plan->writeVariable(writing.name, value.bytes));
  isWritten = true;
  return Status::ok();
}

void VariableService::dropPlan(const std::string &digest) {
  std::erase_if(reads, [&](const auto &entry) {
    bool isOf = entry.second.plan == digest;
    if (isOf)
      requests.close(entry.first);
    return isOf;
  });
}

void VariableService::dropClient(ClientId client) {
  auto isOf = [&](const auto &entry) { return entry.first.client == client; };
  std::erase_if(writes, isOf);
  std::erase_if(reads, isOf);
}

} // namespace graphc::runtime
