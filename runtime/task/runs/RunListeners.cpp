// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/runs/RunListeners.h"

#include "runtime/format/Quote.h"
#include "runtime/state/GraphPorts.h"

namespace graphc::runtime {

Status RunListeners::attach(const RequestKey &key,
                            const protocol::Request::Attach &request,
                            int64_t deadline) {
  GRAPHC_ASSIGN_OR_RETURN(PlanState * plan, plans.use(request.plan()));
  PlanGraph *graph = plan->findGraph(request.graph());
  if (!graph)
    return findGraph(plan->model(), request.graph()).status();
  std::vector<std::string> names(request.fetches().begin(),
                                 request.fetches().end());
  if (!names.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(std::vector<const format::Port *> ports,
                            findFetches(*graph->graph, names));
    for (const format::Port *port : ports)
      if (!graph->has(*port))
        return invalidArgument("fetch " + quote(viewOf(port->name())) +
                               " is made at another task");
  }
  Listener waiter{key, request.plan(), request.graph(), names, deadline};
  requests.open(key);
  for (TaskRun *run : runs.going())
    if (run->phase == TaskRun::Phase::Going && run->spec().plan == plan &&
        run->spec().graph == graph && !run->isEnding) {
      add(*run, waiter);
      return Status::ok();
    }
  waiting.add(std::move(waiter));
  requests.status(key,
                  "waits for the chief to start " + quote(request.graph()));
  return Status::ok();
}

/// Adds a listener, which gets what the run gives from now on, too.
void RunListeners::add(TaskRun &run, const Listener &listener) {
  std::vector<std::span<const std::byte>> values;
  if (!listener.fetches.empty()) {
    StatusOr<std::vector<const format::Port *>> ports =
        findFetches(*run.spec().graph->graph, listener.fetches);
    for (const format::Port *port : *ports) // checked by attach()
      values.push_back(run.taskEngine().slot(*port));
  }
  run.sinks.emplace_back(listener.key.client, listener.key.id, false,
                         std::move(values), host.nowNanos());
}

/// Those who wait for the graph get what this run gives.
void RunListeners::join(TaskRun &run) {
  const PlanGraph &graph = *run.spec().graph;
  for (const Listener &waiter : waiting.take([&](const Listener &each) {
         return each.plan == run.spec().plan->digest() &&
                each.graph == graph.name();
       }))
    add(run, waiter);
}

void RunListeners::expire(int64_t now) {
  for (const Listener &each : waiting.takeExpired(now))
    requests.fail(each.key,
                  Status(StatusCode::DeadlineExceeded,
                         "the chief has not started the graph in time"));
}

void RunListeners::addWaits(const std::string &task,
                            protocol::Reply::WaitList &list) const {
  for (const Listener &each : waiting) {
    protocol::Reply::Wait &wait = *list.add_waits();
    wait.set_task(task);
    wait.set_graph(each.graph);
    wait.set_kind("client");
    wait.set_what("the chief to start " + quote(each.graph));
  }
}

} // namespace graphc::runtime
