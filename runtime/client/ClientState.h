// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State of a ClientMachine: requests that wait for replies, and the one
// operation that sends them.
#ifndef GRAPHC_RUNTIME_CLIENT_CLIENTSTATE_H
#define GRAPHC_RUNTIME_CLIENT_CLIENTSTATE_H

#include "runtime/client/ClientMachine.h"
#include "runtime/client/ClockEstimate.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace graphc::runtime {

/// Something that a client does. It ends with ClientMachine::State::finish().
class ClientOperation {
public:
  virtual ~ClientOperation() = default;
  virtual void start() = 0;
  virtual void onTimer(int64_t now) {}
  virtual int64_t nextTimer() const { return INT64_MAX; }
  /// The conversation with a task was cut; its requests have failed already.
  virtual void onTaskGone(TaskId task, const Status &why) {}
  /// Before the operation ends with CANCELLED: tells tasks.
  virtual void onCancel() {}
};

/// The rows of a variable, or a copy, at one task.
struct VariablePlace {
  std::string name; ///< at the task
  TaskId task = kNoTask;
  TensorType type;
  size_t offset = 0; ///< of its bytes in the whole
};

/// A variable as users know it.
struct ClusterVariable {
  std::string name;
  TensorType type;
  std::vector<VariablePlace> parts;   ///< by rows
  std::vector<VariablePlace> mirrors; ///< of the first part
  bool isTransient = false;           ///< no checkpoint has it
};

class PreparedRun;

/// A checkpoint on its way from tasks to files.
struct ShardWrites {
  protocol::RunId id;
  ShardPlace place;
  std::vector<WrittenShard> shards; ///< by task
  size_t missing = 0;               ///< of them, not written yet
  OnShards onEnd;
};

struct ClientMachine::State {
  using Handler = std::function<void(TaskId, const protocol::Reply &)>;

  State(std::shared_ptr<const Model> plan, ClusterSpec cluster,
        ClientOptions options, ClientEnvironment &environment);
  ~State();

  /// Sends a request. `handler` gets all its replies; a task that is gone or
  /// does not answer within `nanos` (0: has all the time) answers with a
  /// failure.
  uint64_t request(TaskId task, protocol::Request request, Handler handler,
                   int64_t nanos);
  /// The same, whatever operations begin and end meanwhile; `handler` must
  /// outlive them, too.
  uint64_t requestAside(TaskId task, protocol::Request request, Handler handler,
                        int64_t nanos);
  /// A further chunk of a request.
  void sendMore(TaskId task, uint64_t id, protocol::Request request);
  /// A request whose outcome does not matter.
  void tell(TaskId task, protocol::Request request);

  void begin(std::unique_ptr<ClientOperation> operation);
  void finish(Status status);
  /// For people, where it is another than before.
  void status(const std::string &text);

  std::string nameOf(TaskId task) const { return cluster.task(task).name(); }
  /// The tasks that have programs of a graph, in their order.
  std::vector<TaskId> tasksOf(const format::Graph &graph) const;
  /// Of those that the plan is on, the ones that this client cannot do without.
  std::vector<TaskId> neededTasks() const;
  TaskId taskOfProgram(const format::Graph &graph, uint32_t program) const;
  const ClusterVariable *findVariable(std::string_view name) const;
  bool holdsVariables(TaskId task) const;
  void forgetRuns();
  void dropSnapshot();

  const std::shared_ptr<const Model> plan;
  const ClusterSpec cluster;
  const ClientOptions options;
  ClientEnvironment &environment;
  std::string digest;
  std::vector<TaskId> tasks; ///< neededTasks()
  std::vector<ClusterVariable> variables;

  std::unique_ptr<ClientOperation> operation; ///< the last one
  bool isBusy = false;
  Status outcome;
  std::string lastStatus;

  struct Pending {
    Handler handler;
    int64_t deadline = INT64_MAX;
    std::string lastStatus; ///< what the task reports that it waits for
  };
  std::map<std::pair<TaskId, uint64_t>, Pending> pending;
  /// Those that outlive operations.
  std::map<std::pair<TaskId, uint64_t>, Pending> background;
  uint64_t lastRequest = 0;
  uint64_t lastRun = 0;
  /// The cluster was opened again after runs that have failed: what is prepared
  /// goes on with them.
  bool goesOn = false;

  /// Runs that stay prepared, the one used last at the end.
  std::vector<std::unique_ptr<PreparedRun>> prepared;
  std::set<std::string> written; ///< variables, since the cluster was opened
  bool isReplacing = false;      ///< all of them, and not all are written
  /// A task was lost meanwhile: what is written now may go to another process
  /// in its place.
  Status lostWhileWriting;

  /// Steps that tasks had done when the cluster was opened, by graph. Where
  /// those with variables differ, a run ended within a step.
  struct StepsDone {
    uint64_t most = 0;
    std::map<TaskId, uint64_t> behind; ///< with variables, and fewer steps
  };
  std::string nameOfSteps(const std::string &graph) const;
  std::map<std::string, StepsDone> stepsDone;
  using Descriptions = std::map<TaskId, protocol::Reply::Description>;
  void noteSteps(const Descriptions &descriptions);
  /// Tells that another client runs a graph of which there is one run at a
  /// time, and which this one wants to run.
  bool isGoing(const Descriptions &descriptions) const;

  /// Clocks of the timelines of tasks that were measured.
  std::map<TaskId, ClockEstimate> clocks;
  /// A run of which tasks keep timelines.
  struct Recorded {
    protocol::RunId id;
    const format::Graph *graph = nullptr;
    std::vector<TaskId> tasks;
  };
  std::map<std::string, Recorded> recorded; ///< the last of each graph, by name

  /// A snapshot to read from; number 0: none.
  protocol::RunId snapshot;
  std::set<TaskId> snapshotTasks;

  /// A checkpoint that tasks write; nothing: none.
  std::optional<ShardWrites> shards;
  bool shardsAccepted = false; ///< by the last operation that asked
  /// Parent of the last folder that all tasks have written to; empty: none, or
  /// tasks were lost since.
  std::string sharedParent;
  void onShard(size_t shard, const protocol::Reply &reply);
  void giveUpShards(const Status &why);

  // Results.
  Outcome runOutcome;
  bool madeFirstValues = false;
  HostTensor read;
  protocol::Reply::Bound bound;
  std::vector<const format::Port *> fetches;
  RunTimeline timeline;
  std::string shardRefusal;

private:
  uint64_t request(std::map<std::pair<TaskId, uint64_t>, Pending> &among,
                   TaskId task, protocol::Request request, Handler handler,
                   int64_t nanos);
  void findVariables();
  bool mayRun(const format::Graph &graph) const;
  TaskId homeOf(uint32_t variable) const;
};

std::unique_ptr<ClientOperation> openOperation(ClientMachine::State &state);
std::unique_ptr<ClientOperation>
initializeOperation(ClientMachine::State &state, bool isAnew);
std::unique_ptr<ClientOperation> replaceOperation(ClientMachine::State &state);
std::unique_ptr<ClientOperation> bindOperation(ClientMachine::State &state,
                                               std::string_view dataset,
                                               std::string_view files,
                                               uint64_t skip, bool rewinds);
std::unique_ptr<ClientOperation> snapshotOperation(ClientMachine::State &state);
std::unique_ptr<ClientOperation> shardOperation(ClientMachine::State &state,
                                                const ShardPlace &place,
                                                OnShards onEnd);
std::unique_ptr<ClientOperation> endRunsOperation(ClientMachine::State &state);
std::unique_ptr<ClientOperation> readOperation(ClientMachine::State &state,
                                               std::string_view variable);
std::unique_ptr<ClientOperation> writeOperation(ClientMachine::State &state,
                                                std::string_view variable,
                                                const HostTensor &value);
std::unique_ptr<ClientOperation> clockOperation(ClientMachine::State &state,
                                                const format::Graph &graph);
std::unique_ptr<ClientOperation>
timelineOperation(ClientMachine::State &state,
                  const ClientMachine::State::Recorded &run);
std::unique_ptr<ClientOperation> runOperation(ClientMachine::State &state,
                                              const ClientMachine::Run &run,
                                              ClientMachine::OnStep onStep);

} // namespace graphc::runtime

#endif
