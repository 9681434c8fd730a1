// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A task's part of a plan while it is loaded: its code, its variables, its
// data, and the engines of its graphs.
#ifndef GRAPHC_RUNTIME_TASK_PLANS_PLANSTATE_H
#define GRAPHC_RUNTIME_TASK_PLANS_PLANSTATE_H

#include "runtime/cluster/ClusterSpec.h"
#include "runtime/executor/TaskEngine.h"
#include "runtime/state/TaskData.h"
#include "runtime/target/cpu/CpuLevel.h"
#include "runtime/task/TaskEnvironment.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace graphc::runtime {

class UpdateQueue;

/// Of a graph, what concerns this task.
struct PlanGraph {
  const format::Graph *graph = nullptr;
  uint32_t number = 0;
  std::vector<uint32_t> programs; ///< of this task
  std::vector<TaskId> tasks;      ///< of each program
  std::vector<BatchUse> data;
  bool hasVariables = false; ///< its programs here use some
  bool updates = false;      ///< and write them
  uint64_t nextStep = 0;     ///< the first that was not done here

  std::string name() const { return graph->name()->str(); }
  /// True when the port is one of this task's programs.
  bool has(const format::Port &port) const {
    return std::ranges::binary_search(programs, port.program());
  }
};

/// Settings in which engines differ.
struct EngineKey {
  uint64_t seed = 0;
  NanPolicy policy = NanPolicy::Error;
  bool checkAll = false;
  bool operator==(const EngineKey &) const = default;
};

/// A place in memory shared with a peer that an engine uses.
struct SharedRange {
  TaskId peer = kNoTask;
  SharedPlace place;
};

/// Place of an edge's receive buffer or exposed buffer in such memory.
struct EdgePlace {
  uint32_t edge = 0;
  TaskId peer = kNoTask;
  uint64_t offset = 0;
};

/// An engine, which is used by one run after the other.
struct PlanEngine final : EdgeSender {
  std::unique_ptr<TaskEngine> engine;
  EngineKey key;
  uint32_t graph = 0;
  std::vector<SharedRange> shared;       ///< all of it
  std::vector<EdgePlace> receiveBuffers; ///< of edges that reach the task
  std::vector<EdgePlace> exposed;        ///< of edges that leave it
  EdgeSender *user = nullptr;            ///< null: free

  bool sharesWith(TaskId peer) const;

  bool send(std::span<const RemoteEdge *const> edges, uint64_t step) override {
    return user && user->send(edges, step);
  }
};

struct PlanOptions {
  const ClusterSpec *cluster = nullptr;
  TaskId self = 0;
  int threads = 0;
  std::optional<CpuLevel> cpuLevel;
  bool virtualGpus = false;
  bool shareGpus = false;
};

/// Thread-safety: one call at a time.
class PlanState {
public:
  /// Takes a part, or a whole plan, of which the task's part is made.
  /// INVALID_ARGUMENT where it is another task's or another plan's than
  /// `digest` (empty: any).
  static StatusOr<std::unique_ptr<PlanState>>
  create(std::shared_ptr<const Model> model, const std::string &digest,
         const PlanOptions &options);
  ~PlanState();

  const std::string &digest() const { return planName; }
  /// The first 64 bits of the digest.
  uint64_t shortDigest() const { return shortName; }
  const Model &model() const { return *part; }
  /// See ModelDevices::describe(); empty where the host executes all programs.
  std::vector<std::string> describeDevices() const;
  TaskData &data() { return *source; }
  size_t size() const { return graphs.size(); }
  PlanGraph &graph(uint32_t number) { return graphs[number]; }
  /// Null: there is none.
  PlanGraph *findGraph(std::string_view name);

  /// The tasks that have programs of the graph and variables.
  std::vector<TaskId> variableTasks(const PlanGraph &graph) const;

  /// One of this task's variables; mirrors and parts have names of their own
  /// here. NOT_FOUND for those of other tasks.
  StatusOr<TensorType> variableType(const std::string &name) const;
  /// Its bytes: where they are, or, from an accelerator, in `copy`.
  StatusOr<std::span<const std::byte>>
  readVariable(const std::string &name, std::vector<std::byte> &copy) const;
  /// REQUIRES: as many bytes as its type has.
  Status writeVariable(const std::string &name,
                       std::span<const std::byte> bytes);
  /// This task's own.
  std::vector<std::string> variableNames() const;
  /// Full names of the devices of this task that the plan uses.
  const std::set<std::string> &devices() const { return ownDevices; }
  /// Memory on the host: of the variables here, and of all engines' arenas.
  size_t variableBytes() const { return memory.size(); }
  size_t arenaBytes() const;
  /// True when the task has variables.
  bool hasVariables() const { return !ownNames.empty(); }

  /// An engine that no run uses. What comes lands in memory shared with the
  /// peers that have such memory, and what leaves is made there.
  StatusOr<PlanEngine *> takeEngine(PlanGraph &graph, const EngineKey &key,
                                    bool stopsBeforeUpdate,
                                    const TaskEnvironment &environment);
  /// Ends the use; an engine that is not to be used again is dropped.
  void giveBack(PlanEngine &engine, bool keep, PeerNetwork &peers);
  /// Drops free engines with places in the memory of a peer that has gone.
  void dropShared(TaskId peer, PeerNetwork &peers);
  /// Before the plan goes.
  void dropEngines(PeerNetwork &peers);

  /// The order of the instances of a graph of the source; null: none yet.
  UpdateQueue *findQueue(const std::string &of);
  void addQueue(const std::string &of, std::unique_ptr<UpdateQueue> order);
  std::vector<UpdateQueue *> queues();
  /// The first step of a graph that was not done here, nor sequenced.
  uint64_t nextStep(const PlanGraph &graph);
  /// Graphs begin at their first step again, and workers without an order of
  /// their updates. REQUIRES: no run goes.
  void forgetSteps();

  bool isInitialized = false; ///< its variables have values, here and elsewhere
  std::string lost;     ///< why they have none any more; empty: nothing is
  uint32_t users = 0;   ///< runs
  uint64_t lastUse = 0; ///< number of the request that used it last

private:
  PlanState() = default;
  Status findGraphs(const PlanOptions &options);
  Status allocateVariables(const PlanOptions &options);
  std::byte *share(PlanEngine &engine, TaskId peer, size_t bytes,
                   PeerNetwork &peers);
  void releaseShared(PlanEngine &engine, PeerNetwork &peers);
  StatusOr<uint32_t> findVariable(const std::string &name) const;
  Status openDevices(const PlanOptions &options);

  std::string planName;
  uint64_t shortName = 0;
  std::shared_ptr<const Model> part;
  KernelImage kernels;
  std::unique_ptr<CpuDevice> device;
  std::unique_ptr<ModelDevices>
      accelerators; ///< null: the host executes all programs
  std::unique_ptr<TaskData> source;
  std::vector<PlanGraph> graphs;
  std::vector<TaskId> variableHomes; ///< by variable; kNoTask: not known
  DeviceBuffer memory;
  std::vector<std::byte *> places; ///< by variable; null: of another task, or
                                   ///< on an accelerator
  std::vector<std::pair<std::string, uint32_t>> ownNames;
  std::set<std::string> ownDevices;
  std::vector<std::unique_ptr<PlanEngine>> engines;
  std::vector<std::pair<std::string, std::unique_ptr<UpdateQueue>>> orders;
};

} // namespace graphc::runtime

#endif
