// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A client of a cluster: coordinates the runs that it asks for.
#ifndef GRAPHC_RUNTIME_CLIENT_CLIENTMACHINE_H
#define GRAPHC_RUNTIME_CLIENT_CLIENTMACHINE_H

#include "runtime/client/RunTimeline.h"
#include "runtime/cluster/ClusterSpec.h"
#include "runtime/data/HostTensor.h"
#include "runtime/format/Model.h"
#include "runtime/protocol/cluster.pb.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc::runtime {

/// Environment of a client. Calls return at once.
class ClientEnvironment {
public:
  virtual ~ClientEnvironment() = default;
  virtual int64_t nowNanos() const = 0;
  /// Opens the conversation with a task where there is none; requests that are
  /// sent before it is open wait.
  virtual void send(TaskId task, protocol::Request request) = 0;
  /// For people, on stderr: "waits for /job:ps/task:0", when it changes.
  virtual void status(std::string_view text) = 0;
};

struct ClientOptions {
  uint64_t incarnation = 0; ///< random, not 0
  /// The worker whose own instance of a between-graph plan this client runs;
  /// nothing: the plan's only form.
  std::optional<uint32_t> worker;
  /// The graphs that this client will run, by their names in the source: only
  /// tasks that they, their first values and variables need must be there.
  /// Empty: any that `worker` may run.
  std::vector<std::string> graphs;
  bool isChief = true; ///< gives the variables their first values
  uint64_t seed = 0;
  uint32_t nanPolicy = 0;
  bool checkNumerics = false;
  bool virtualGpus = false;
  std::string cpuLevel; ///< of plans that it loads; empty: the tasks' highest
  int64_t openNanos = 60'000'000'000; ///< until all tasks are there
  int64_t controlNanos =
      30'000'000'000;                  ///< the longest that a request may take
  int64_t stallNanos = 60'000'000'000; ///< a step without progress
  /// Mismatches that the handshake lets pass, e.g. "clock".
  std::vector<std::string> allowed;
};

/// Folder to which tasks may write shards of a checkpoint, see
/// Request.Snapshot.
struct ShardPlace {
  std::string folder; ///< absolute
  std::string token;  ///< in it
};

/// A file of it.
struct WrittenShard {
  TaskId task = kNoTask;
  std::string file;
  protocol::Reply::Shard written;
};

/// Called once when all are written, or one cannot be.
using OnShards =
    std::function<void(const Status &, const std::vector<WrittenShard> &)>;

/// An event machine. One operation at a time: begin...() starts it, and the
/// environment's events end it, after which result() has its outcome. The first
/// cause wins: of several failures of a run it is the one of the task where it
/// began. Thread-safety: one call at a time.
class ClientMachine {
public:
  /// `cluster` has the tasks that the plan's devices need. Of plan variants the
  /// member for the cluster's number of workers counts.
  static StatusOr<std::unique_ptr<ClientMachine>>
  create(std::shared_ptr<const Model> plan, ClusterSpec cluster,
         ClientOptions options, ClientEnvironment &environment);
  ~ClientMachine();

  // Events.
  void onReply(TaskId task, const protocol::Reply &reply);
  /// The conversation with a task was cut; the environment opens another at the
  /// next send.
  void onTaskGone(TaskId task, const Status &why);
  void onTimer();
  int64_t nextTimer() const;

  // Operations. Each is over when isBusy() is false.
  /// Describes all tasks, compares, loads the parts that are missing.
  void beginOpen();
  /// The chief gives all variables their first values where no task has any,
  /// or in any case (`isAnew`); others wait for it. FAILED_PRECONDITION where
  /// some tasks have values and others have lost theirs, but for values that
  /// a living mirror has, which are taken from it.
  void beginInitialize(bool isAnew = false);
  /// Before all variables are written: none has a value until all have. Runs
  /// of the plan end with ABORTED, and graphs begin at their first step again.
  void beginReplace();
  /// `skip`: batches to pass over; `rewinds`: tasks that have these files bound
  /// do not open them again.
  void beginBind(std::string_view dataset, std::string_view files,
                 uint64_t skip = 0, bool rewinds = false);
  struct Run {
    std::string graph;
    std::vector<NamedTensor> feeds;
    std::vector<std::string> fetches; ///< empty: all
    int64_t steps = 1;                ///< 0: until a dataset ends
    bool lastOnly = false;
    /// The step to begin at, from 0; nothing: where the graph stopped.
    std::optional<uint64_t> firstStep;
    /// Ends when all tasks have prepared the run; the next beginRun() with the
    /// same graph and fetches lets it go.
    bool onlyPrepares = false;
    /// Steps of which tasks record a timeline; see beginTimeline().
    TimelineWindow recorded;
  };
  /// Called for each step, in order, with the bytes of the fetches in the order
  /// of names(); false: the run is to end.
  using OnStep = std::function<bool(
      uint64_t step, std::span<const std::span<const std::byte>> fetches)>;
  void beginRun(const Run &run, OnStep onStep);
  /// Reads until endSnapshot() are of values between the same two updates,
  /// where workers' updates have an order; else nothing happens. Waits for
  /// links between the tasks that keep the order.
  void beginSnapshot();
  void endSnapshot();
  /// Ends when each task has copied its variables, all between the same two
  /// steps. They write them to files, one per task, while other operations go
  /// on; `onEnd` is called at the end of that, or by giveUpShards(). Where they
  /// will not, shardRefusal() tells why, and `onEnd` is not called.
  void beginShards(const ShardPlace &place, OnShards onEnd);
  bool areShardsAccepted() const;
  const std::string &shardRefusal() const; ///< empty: nobody needs to know
  /// Tasks are writing; events go on being needed, also between operations.
  bool isWritingShards() const;
  void giveUpShards(const Status &why);
  /// Before a run that is recorded: measures the clocks of its tasks.
  void beginClocks(const format::Graph &graph);
  /// After the last run of the graph that was recorded, however it ended:
  /// measures the clocks again and reads the timelines. What cannot be had of a
  /// task is told in its place. FAILED_PRECONDITION: nothing was recorded.
  void beginTimeline(const format::Graph &graph);
  void beginRead(std::string_view variable);
  void beginWrite(std::string_view variable, const HostTensor &value);
  /// Tasks need not keep what the last runs were prepared with: others who wait
  /// for this client's steps learn that there are no more. Over when the tasks
  /// know it; one that does not answer for a second is not waited for.
  void beginEndRuns();
  /// Ends what is being done with CANCELLED.
  void cancel();

  bool isBusy() const;
  /// The tasks that have not answered what the operation asked them and waits
  /// for, for people; empty: none.
  std::string awaitedTasks() const;
  /// Of the last operation: its failure is annotated with the task, the step
  /// and the awaited edge.
  Status result() const;

  struct Outcome {
    int64_t steps = 0;
    /// Of the last step that was given, by the clocks of the tasks: several
    /// steps may arrive in one message.
    double stepSeconds = 0;
    bool isEndOfData = false;
    /// Reason for an end before its steps were made; empty: the data were known
    /// to end there.
    std::string whyEnded;
    bool isStopped = false;
    uint64_t lateGradients = 0;
    std::vector<protocol::Reply::Staleness> staleness;
  };
  const Outcome &outcome() const;  ///< of beginRun
  bool madeFirstValues() const;    ///< beginInitialize() did
  const HostTensor &value() const; ///< of beginRead
  /// Of beginTimeline; the caller may take it.
  RunTimeline &timeline();
  const protocol::Reply::Bound &bound() const;
  /// The fetches of the last run, as OnStep gets them.
  const std::vector<const format::Port *> &fetches() const;
  /// The first step of a graph that was not done when the cluster was opened
  /// (the chief: when the values were looked at), and whether tasks with
  /// variables differ in it: a run ended within a step.
  uint64_t nextStep(const std::string &graph) const;
  bool endedWithinStep(const std::string &graph) const;
  /// The tasks whose variables are behind then, for people: "/job:ps/task:0
  /// (step 33) behind step 34".
  std::string tasksBehind(const std::string &graph) const;
  const Model &plan() const;
  const ClusterSpec &cluster() const;

  struct State; ///< for the operations, see ClientState.h

private:
  ClientMachine();
  std::unique_ptr<State> state;
};

} // namespace graphc::runtime

#endif
