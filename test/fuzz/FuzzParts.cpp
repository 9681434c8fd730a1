// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of plans that come to a task: the manifest of a plan, the chunks, the
// slice itself, and what may be asked of the task then. Nothing is run, since
// the machine code may be anything. The first byte names the task.
#include "runtime/format/PlanSlice.h"
#include "runtime/protocol/Chunks.h"
#include "runtime/protocol/PlanManifest.h"
#include "test/fuzz/Input.h"
#include "test/fuzz/ModelBytes.h"
#include "test/runtime/task/ClusterModels.h"
#include "test/runtime/task/DirectCluster.h"

using namespace graphc;
using namespace graphc::runtime;
using graphc::test::requireMessage;

namespace {

/// The list of all parts has each of them; any text has none.
void checkLists(const Model &plan, std::string_view text) {
  auto list = makePlanManifest(plan);
  requireMessage(list.status());
  if (list.isOk())
    for (const std::string &task : tasksOf(plan)) {
      auto part = makeSlice(plan, task);
      test::require(part.isOk() && isListed(*list, task, *part),
                    "the list has the part of each task");
      test::require(!isListed(text, task, *part), "a made up list has no part");
    }
}

class Task {
public:
  explicit Task(TaskId id)
      : id(id), cluster({test::makeCluster(2, 2), 1, false, {}}),
        client(cluster.openConversation()) {}

  void load(const std::string &plan, std::span<const std::byte> part) {
    protocol::Request request;
    request.set_id(++last);
    splitIntoChunks("part", nullptr, part, [&](protocol::Chunk chunk, bool) {
      request.mutable_load()->set_plan(plan);
      request.mutable_load()->set_virtual_gpus(true);
      *request.mutable_load()->mutable_part() = std::move(chunk);
      cluster.send(client, id, request);
    });
    cluster.settle();
  }

  /// Whatever the part has: its variables, and its graphs up to a run.
  void ask(const Model &part, const std::string &plan) {
    protocol::Request request;
    for (const format::Variable *variable : *part.index().variables()) {
      request.mutable_read()->set_plan(plan);
      request.mutable_read()->set_variable(variable->name()->str());
      send(request);
    }
    request.mutable_initialized()->set_plan(plan);
    request.mutable_initialized()->set_set(true);
    send(request);
    for (const format::Graph *graph : *part.index().graphs()) {
      protocol::Request::Prepare &prepare = *request.mutable_prepare();
      prepare.set_plan(plan);
      prepare.mutable_run()->set_client(7);
      prepare.mutable_run()->set_number(++runs);
      prepare.set_graph(graph->name()->str());
      send(request);
      cluster.settle();
    }
    cluster.task(id).onClientGone(client);
    cluster.settle();
    test::require(cluster.task(id).residue().runs == 0,
                  "nothing of a client is left");
  }

private:
  void send(protocol::Request &request) {
    request.set_id(++last);
    cluster.send(client, id, request);
  }

  TaskId id;
  test::DirectCluster cluster;
  ClientId client;
  uint64_t last = 0, runs = 0;
};

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  auto choice = input.take<uint8_t>();
  std::span<const std::byte> bytes = input.takeBytes(size);
  std::shared_ptr<const Model> model = openRepaired(bytes);
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (model && !isSmall(*model))
    return 0;
  if (model && (choice & 0x80))
    checkLists(*model, text);
  Task task(choice % 4);
  // A part that is refused before is refused here, too.
  std::string plan = model ? planDigest(*model) : "none";
  task.load(plan, repairModel(bytes));
  if (model)
    task.ask(*model, plan);
  return 0;
}
