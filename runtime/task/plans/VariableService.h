// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clients read and write a task's variables.
#ifndef GRAPHC_RUNTIME_TASK_PLANS_VARIABLESERVICE_H
#define GRAPHC_RUNTIME_TASK_PLANS_VARIABLESERVICE_H

#include "runtime/protocol/Chunks.h"
#include "runtime/task/OpenRequests.h"
#include "runtime/task/plans/PlanStore.h"

#include <map>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Sends values in chunks, as clients have room for them, and puts together
/// those that come. Each mirror and each shard of a variable goes by its own
/// name in the plan; a client puts shards together and writes to mirrors, too.
/// Thread-safety: one call at a time.
class VariableService {
public:
  VariableService(PlanStore &plans, OpenRequests &requests,
                  ClientChannel &clients)
      : plans(plans), requests(requests), clients(clients) {}

  /// Answers by pump(). What is written to the variable meanwhile may be seen
  /// in part.
  Status read(const RequestKey &key, const protocol::Request::Read &request);
  /// The same with a copy of the variable's bytes.
  void send(const RequestKey &key, const protocol::Request::Read &request,
            const TensorType &type, std::vector<std::byte> copy);
  /// A chunk of a value; the last one writes the variable and answers.
  Status write(const RequestKey &key, const protocol::Request::Write &request);
  bool isWriting(const RequestKey &key) const { return writes.contains(key); }

  /// Sends a chunk of each value to clients that have room; false: of none.
  bool pump();

  /// The plan goes: what is read of it ends without a reply.
  void dropPlan(const std::string &digest);
  void dropClient(ClientId client);

private:
  struct Reading {
    std::string plan, name;
    TensorType type;
    std::vector<std::byte>
        copy; ///< of a snapshot or a variable on an accelerator
    std::span<const std::byte> bytes;
    size_t offset = 0;
  };
  struct Writing {
    std::string plan, name;
    ChunkBuffer buffer;
  };

  Status addChunk(Writing &writing, const protocol::Chunk &chunk,
                  bool &isWritten);
  protocol::Reply nextChunk(Reading &reading);

  PlanStore &plans;
  OpenRequests &requests;
  ClientChannel &clients;
  std::map<RequestKey, Reading> reads;
  std::map<RequestKey, Writing> writes;
};

} // namespace graphc::runtime

#endif
