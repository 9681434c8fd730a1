// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A session in this process.
#ifndef GRAPHC_RUNTIME_SESSION_LOCALSESSION_H
#define GRAPHC_RUNTIME_SESSION_LOCALSESSION_H

#include "runtime/data/DataSource.h"
#include "runtime/executor/StepEngine.h"
#include "runtime/session/LocalData.h"
#include "runtime/session/Session.h"
#include "runtime/state/VariableStore.h"
#include "runtime/target/cpu/CpuLevel.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace graphc::runtime {

struct SessionOptions {
  /// Threads that kernels run on, the caller's among them; 0: one per core.
  int threads = 0;
  /// Of everything random: the same seed gives the same numbers.
  uint64_t seed = 0;
  /// Kernels of which level to run; nothing: the highest that the CPU has.
  std::optional<CpuLevel> cpuLevel;
  NumericsOptions numerics;
  /// Execute the programs of accelerators, and of all other devices and tasks
  /// that this process does not have, by their code for the CPU.
  bool virtualGpus = false;
  /// Devices of the plan may share an accelerator where this process has too
  /// few.
  bool shareGpus = false;
  /// For people: what is done otherwise than they may expect.
  std::function<void(const std::string &)> note;
  /// Measure what each instruction takes; see LocalSession::profile.
  bool isProfiled = false;
  /// Steps of which each instruction's begin and end are kept;
  /// see LocalSession::timeline. A graph counts them from its first run.
  TimelineWindow traced;
  /// Sees the values of steps; null: nobody does. It must outlive the session.
  StepObserver *observer = nullptr;
  /// The longest that initialize(), run() and runSteps() may take, all steps
  /// together; 0: as long as they take. See LocalSession::runSteps.
  int64_t deadlineNanos = 0;
};

/// A model in memory with its variables.
/// Thread-safety: one call at a time. Sessions of one process share its
/// threads.
class LocalSession final : public Session {
public:
  /// Opens and verifies a model.bin. All failures name the cause and the fix.
  static StatusOr<std::unique_ptr<LocalSession>>
  open(const std::string &path, const SessionOptions &options);

  /// The same for a model that is open already.
  static StatusOr<std::unique_ptr<LocalSession>>
  create(std::shared_ptr<const Model> model, const SessionOptions &options);

  ~LocalSession() override;

  const Model &model() const override { return *source; }
  bool hasTasks() const override { return false; }
  int threads() const { return device->threads(); }
  /// The level of the kernels that the host executes.
  CpuLevel cpuLevel() const { return level; }
  /// See ModelDevices::describe(); empty where the host executes all programs.
  std::vector<std::string> describeDevices() const;

  StatusOr<const format::Graph *>
  chooseGraph(std::string_view name) const override;
  Status checkRequest(const RunRequest &request) const override;

  /// Reading starts at once and at the first example.
  StatusOr<BoundData> bindDataset(std::string_view name,
                                  std::string_view files) override;

  StatusOr<BoundData> rewindDataset(std::string_view name) override {
    return data.rewindDataset(name);
  }

  /// Runs graph "init" if there is one.
  Status initialize(bool isAnew = false) override;
  bool madeFirstValues() const override { return hasFirstValues; }

  /// After the first step, a step allocates no memory.
  ///
  /// At SessionOptions::deadlineNanos a run fails with DEADLINE_EXCEEDED, which
  /// names the op at which each device was. The step that was being made then
  /// has not happened: variables are those of the steps before it, and the next
  /// run makes it, with the same batches and random numbers. Only a step that
  /// writes variables already is finished first, without the rest of its
  /// debug_sleeps, and counts. Programs look at the time between instructions
  /// and in debug_sleep. What is waited for however long it takes: a kernel;
  /// what a device was given; steps of other sessions, which have the process's
  /// threads then; `onStep`. Opening, bindDataset(), save() and load() have no
  /// deadline: they read and write files, and refuse to read pipes.
  StatusOr<RunOutcome>
  runSteps(const RunRequest &request, const StepCallback &onStep,
           std::optional<uint64_t> firstStep = std::nullopt) override;
  Status prepareSteps(const RunRequest &request) override {
    return checkRequest(request);
  }
  void endRuns() override {}
  int64_t deadlineNanos() const override { return options.deadlineNanos; }

  /// Time of one instruction of a graph.
  struct InstructionTime {
    const format::Program *program;
    uint32_t number; ///< of the instruction in the program
    const format::Instruction *instruction;
    double seconds; ///< of all steps but the first
  };
  /// The instructions of a graph, program after program, of a session with
  /// SessionOptions::isProfiled; empty before the graph has run.
  std::vector<InstructionTime> profile(std::string_view graph) const;

  /// Begins and ends in the steps of SessionOptions::traced; null: none
  /// were kept, or the graph has not run.
  const StepTimeline *timeline(std::string_view graph) const;

  StatusOr<HostTensor> readVariable(std::string_view name) override;
  Status writeVariable(std::string_view name, const HostTensor &value) override;

  /// Variables in this process's memory are copied by the capture, and steps
  /// wait for it before they write variables; those on accelerators are copied
  /// here.
  StatusOr<std::unique_ptr<StateCapture>> capture() override;
  Status restore(const TensorReader &checkpoint,
                 bool isPartial = false) override;

  GraphPosition position(const std::string &graph) const override;
  void setPosition(const std::string &graph,
                   const GraphPosition &position) override;

  /// FAILED_PRECONDITION: there are no tasks that could have been lost.
  Status recover() override;
  Status goOn(const std::string &graph) override;
  bool endedWithinStep(const std::string &) const override { return false; }
  std::string tasksBehind(const std::string &) const override { return ""; }

private:
  class Capture;
  struct GraphState {
    std::shared_ptr<StepTimeline> timeline; ///< null: none
    std::unique_ptr<StepEngine> engine;
    uint64_t steps = 0;
  };

  LocalSession(std::shared_ptr<const Model> model,
               const SessionOptions &options);
  Status prepareDevice();
  Status openDevices();
  StatusOr<std::shared_ptr<SessionState>> makeSpare() const;
  StatusOr<GraphState *> stateOf(const format::Graph &graph);
  Status checkReady(const format::Graph &graph,
                    const RunRequest &request) const;
  Status lateStatus(const format::Graph &graph, const std::string &where) const;

  std::shared_ptr<const Model> source;
  SessionOptions options;
  CpuLevel level = CpuLevel::V3;
  KernelImage kernels;
  std::unique_ptr<CpuDevice> device;
  std::unique_ptr<ModelDevices>
      devices;           ///< null: the host executes all programs
  UpdateGate updateGate; ///< closed while a capture copies the variables
  VariableStore variables;
  std::shared_ptr<SessionState> spare; ///< memory of the capture before
  LocalData data;
  std::vector<GraphState> states; ///< by number of the graph
  bool hasValues = false;         ///< the variables were given values
  bool hasFirstValues = false;    ///< ... and these were the first ones
};

} // namespace graphc::runtime

#endif
