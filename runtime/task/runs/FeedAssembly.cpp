// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/FeedAssembly.h"

#include "runtime/data/TypeCheck.h"
#include "runtime/format/Quote.h"
#include "runtime/state/GraphPorts.h"

#include <algorithm>

namespace graphc::runtime {

Status FeedAssembly::add(const RequestKey &key, TaskRun &run,
                         const Chunks &chunks) {
  for (const protocol::Chunk &chunk : chunks) {
    GRAPHC_ASSIGN_OR_RETURN(const format::Port *port,
                            findFeed(*run.spec().graph->graph, chunk.name()));
    TensorType type = toTensorType(*port->type());
    GRAPHC_ASSIGN_OR_RETURN(TensorType given, typeOf(chunk));
    if (!run.spec().graph->has(*port) || given != type)
      return invalidArgument("feed " + quote(chunk.name()) + " is " +
                             type.toString() + " for one task, but " +
                             given.toString() + " came here");
    ChunkBuffer &buffer = requests[key][chunk.name()];
    GRAPHC_TRY(buffer.add(chunk, type.numBytes()));
    if (!buffer.isComplete())
      continue;
    HostTensor value{type, buffer.take()};
    buffer = {};
    if (value.bytes.size() != type.numBytes())
      return invalidArgument("feed " + quote(chunk.name()) + " has " +
                             std::to_string(value.bytes.size()) +
                             " bytes, not those of " + type.toString());
    GRAPHC_TRY(checkBools(value, chunk.name()));
    auto known = std::ranges::find(run.feeds, port, &TaskRun::Feed::port);
    if (known == run.feeds.end())
      run.feeds.push_back({port, std::move(value.bytes)});
    else
      known->value = std::move(value.bytes);
  }
  return Status::ok();
}

} // namespace graphc::runtime
