// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver API: graphs, replayed with the order that their nodes depend on.
#include "test/cuda/emulator/Driver.h"

using namespace graphc::emulator;

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long) {
  Call call("cuGraphInstantiate");
  if (call.error())
    return call.error();
  if (!call.driver.graphs.has(graph))
    return call.noSuch("graph");
  auto made = std::make_unique<GraphExec>();
  made->context = call.context;
  made->graph = *graph;
  for (uint32_t i = 0; i < graph->branches; ++i)
    made->lanes.push_back(call.driver.timeline.addLane());
  *exec = call.driver.execs.add(std::move(made));
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  StreamCall call("cuGraphLaunch", stream);
  if (call.error())
    return call.error();
  if (!call.driver.execs.has(exec))
    return call.noSuch("graph");
  Stream &target = *call.stream;
  if (target.capture)
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "the emulator does not capture graphs in graphs");
  if (target.context->failure.code)
    return static_cast<CUresult>(target.context->failure.code);
  call.driver.catchUp(target);
  target.clock.join(exec->end);
  Clock end = target.clock;
  std::vector<Clock> clocks;
  for (const GraphNode &node : exec->graph.nodes) {
    Clock clock = target.clock;
    for (size_t dependency : node.dependencies)
      clock.join(clocks[dependency]);
    call.driver.perform(node.operation, exec->lanes[node.branch], clock);
    end.join(clock);
    clocks.push_back(std::move(clock));
    if (target.context->failure.code)
      break;
  }
  target.clock = end;
  exec->end = end;
  if (target.waitsForDefault)
    target.context->waitedFor.join(end);
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  Call call("cuGraphExecDestroy");
  if (call.error())
    return call.error();
  return call.driver.execs.destroy(exec) ? CUDA_SUCCESS : call.noSuch("graph");
}

CUresult cuGraphDestroy(CUgraph graph) {
  Call call("cuGraphDestroy");
  if (call.error())
    return call.error();
  return call.driver.graphs.destroy(graph) ? CUDA_SUCCESS
                                           : call.noSuch("graph");
}
