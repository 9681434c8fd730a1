// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the graphs of a compiled model in this process. This is the C++ API for
// programs that use a model.bin; graphc-run is a thin tool over it.
//
//   auto session = Session::open("model.bin", {});
//   session->initialize();
//   session->bindDataset("digits", "images.gz,labels.gz");
//   session->runSteps({.graph = "train", .steps = 1000}, onStep);
//   session->save("model.safetensors");
#ifndef GRAPHC_RUNTIME_SESSION_SESSION_H
#define GRAPHC_RUNTIME_SESSION_SESSION_H

#include "runtime/checkpoint/Positions.h"
#include "runtime/data/DataSource.h"
#include "runtime/device/CpuLevel.h"
#include "runtime/executor/StepEngine.h"
#include "runtime/session/RunRequest.h"
#include "runtime/state/DatasetBindings.h"
#include "runtime/state/VariableStore.h"

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
  /// Execute the programs of GPUs, and of all other devices and tasks that this
  /// process does not have, by their code for the CPU.
  bool virtualGpus = false;
  /// Devices of the plan may share a GPU where this process has too few.
  bool shareGpus = false;
  /// For people: what is done otherwise than they may expect.
  std::function<void(const std::string &)> note;
  /// Measure what each instruction takes; see Session::profile.
  bool isProfiled = false;
  /// The longest that initialize(), run() and runSteps() may take, all steps
  /// together; 0: as long as they take. See Session::runSteps.
  int64_t deadlineNanos = 0;
};

/// A model in memory with its variables.
/// Thread-safety: one call at a time. Sessions of one process share its
/// threads.
class Session {
public:
  /// Called after each step; false ends the run.
  using StepCallback = std::function<bool(const StepView &)>;

  /// Opens and verifies a model.bin. All failures name the cause and the cure.
  static StatusOr<std::unique_ptr<Session>> open(const std::string &path,
                                                 const SessionOptions &options);

  /// The same for a model that is open already.
  static StatusOr<std::unique_ptr<Session>>
  create(std::shared_ptr<const Model> model, const SessionOptions &options);

  ~Session();

  const Model &model() const { return *source; }
  int threads() const { return device->threads(); }
  /// See runtime::describeGpus().
  std::vector<std::string> describeGpus() const;

  /// Gives the variables their first values: runs graph "init" if there is one.
  Status initialize();

  /// Names the files of a dataset: "FILE[,FILE...][@BEGIN:END]", see
  /// DataSource.h. Reading starts at once and at the first example.
  Status bindDataset(std::string_view name, std::string_view files);

  /// What is bound to a dataset of the model by its number, or null.
  const DataSource *dataset(uint32_t index) const {
    return datasets.source(index);
  }

  /// Whether the graph, its feeds and its fetches fit, without running
  /// anything.
  Status checkRequest(const RunRequest &request) const;

  /// Runs one step and returns its fetches in the order of their names.
  StatusOr<std::vector<HostTensor>> run(const RunRequest &request);

  /// Runs steps one after the other. Each graph counts its own steps, from the
  /// session's start or as load() says. The end of the data ends a run without
  /// failure. After the first step, a step allocates no memory.
  ///
  /// At SessionOptions::deadlineNanos a run fails with DEADLINE_EXCEEDED, which
  /// says at which op each device was. The step that was being made then has
  /// not happened: variables are those of the steps before it, and the next run
  /// makes it, with the same batches and random numbers. Only a step that
  /// writes variables already is finished first, without the rest of its
  /// debug_sleeps, and counts. Programs look at the time between instructions
  /// and in debug_sleep. What is waited for however long it takes: a kernel;
  /// what a GPU was given; steps of other sessions, which have the process's
  /// threads then; `onStep`. Opening, bindDataset(), save() and load() have no
  /// deadline: they read and write files, and refuse to read pipes.
  StatusOr<RunOutcome> runSteps(const RunRequest &request,
                                const StepCallback &onStep);

  /// What one instruction of a graph took.
  struct InstructionTime {
    const format::Program *program;
    uint32_t number; ///< of the instruction in the program
    const format::Instruction *instruction;
    double seconds; ///< of all steps but the first
  };
  /// The instructions of a graph, program after program, of a session with
  /// SessionOptions::isProfiled; empty before the graph has run.
  std::vector<InstructionTime> profile(std::string_view graph) const;

  /// How far a graph is: nothing before its first run, unless load() says more.
  GraphPosition position(const std::string &graph) const {
    auto found = positions.find(graph);
    return found == positions.end() ? GraphPosition() : found->second;
  }

  StatusOr<HostTensor> readVariable(std::string_view name) const;
  Status writeVariable(std::string_view name, const HostTensor &value);

  /// Replaces the file `path` by a safetensors file with all variables.
  Status save(const std::string &path) const;

  /// Reads all variables from a file that save() or another program wrote. The
  /// file must hold exactly the model's variables, with their types; otherwise
  /// nothing changes. Graphs that had run when save() wrote it go on after
  /// their last step, with the examples and random numbers that were next.
  Status load(const std::string &path);

private:
  struct GraphState {
    std::unique_ptr<StepEngine> engine;
    uint64_t steps = 0;
  };

  Session(std::shared_ptr<const Model> model, const SessionOptions &options);
  Status prepareDevice();
  Status openGpus();
  StatusOr<GraphState *> stateOf(const format::Graph &graph);
  Status checkReady(const format::Graph &graph,
                    const RunRequest &request) const;
  Status resume(const format::Graph &graph, GraphState &state);
  Status rewindData(const format::Graph &graph);
  Status lateStatus(const format::Graph &graph, const std::string &where) const;
  void notePosition(const format::Graph &graph, const GraphState &state,
                    uint64_t steps);

  std::shared_ptr<const Model> source;
  SessionOptions options;
  KernelImage kernels;
  std::unique_ptr<CpuDevice> device;
  std::unique_ptr<GpuModel> gpus; ///< null: all programs run on the CPU
  VariableStore variables;
  DatasetBindings datasets;
  std::vector<GraphState> states; ///< by number of the graph
  bool hasValues = false;         ///< the variables were given values
  struct BoundFiles {
    std::string files;
    uint64_t taken = 0; ///< batches
  };
  std::map<uint32_t, BoundFiles> bound; ///< by dataset
  std::set<uint32_t> ahead; ///< datasets with a batch of a step that was not
                            ///< made
  Positions positions;
  std::set<std::string> restored; ///< graphs that have not run since load()
};

} // namespace graphc::runtime

#endif
