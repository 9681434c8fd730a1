// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of the compiler.
#ifndef GRAPHC_INCLUDE_GRAPHC_OPTIONS_H
#define GRAPHC_INCLUDE_GRAPHC_OPTIONS_H

#include "graphc/Choices.h"
#include "graphc/Pipeline.h"
#include "graphc/VariableHome.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// Devices to compile for; files are named by their paths.
struct DeviceOptions {
  /// As --devices gives them ("gpu:0-3"); none: cpu:0.
  std::vector<std::string> devices;
  int64_t cpuDevices = 0; ///< 0: as `devices` lists
  std::string cluster;    ///< JSON file of tasks and their devices
  std::string deviceList; ///< JSON file of devices of any kind
  int64_t workers = 0;    ///< the tasks of so many, the first; 0: of all

  /// True when the user has named devices in some way.
  bool areGiven() const {
    return !devices.empty() || cpuDevices || !cluster.empty() ||
           !deviceList.empty();
  }
};

/// Numbers of workers, both ends included.
struct WorkerRange {
  int64_t first = 0, last = 0;

  bool isOne() const { return first == last; }
};

/// Gradients that make an update together.
struct SyncCount {
  int64_t workers = 0; ///< the first so many; 0: of all workers
};
/// "all", or a number.
std::string toText(const SyncCount &sync);

/// Options of pipelines.
struct PipelineOptions {
  int64_t stages = 0;       ///< 0: no pipeline
  int64_t microBatches = 0; ///< 0: four for each stage
  PipelineSchedule schedule = PipelineSchedule::Gpipe;
};

/// Options of replication into towers.
struct ReplicationOptions {
  Replicate replicate = Replicate::Auto;
  int64_t replicas = 0; ///< 0: one per device of the best kind
  VariableHome variables;
  Reduce reduce = Reduce::Auto;
  FeedMode feeds = FeedMode::Split;
  /// Numbers that do not depend on the devices: --numerics=canonical.
  bool canonical = false;
  /// A device updates its rows of variables, and has slots of these, alone.
  bool shardsUpdates = false;
  /// In place of towers.
  PipelineOptions pipeline;

  std::optional<ReplicationMode> replication; ///< none: either
  bool async = false;                         ///< each worker updates by itself
  std::optional<SyncCount> sync;
  std::optional<int64_t> staleness; ///< with async: at most so many updates old
  /// A plan for each of these numbers of workers; a batch is then a worker's.
  std::optional<WorkerRange> workers;
  // What follows from them and the cluster: see resolveReplication().
  /// Of the workers' instances; None: there are no instances.
  Coordination coordination = Coordination::None;
  int64_t quorum = 0; ///< gradients that make an update together
};

/// Costs that the log of a placement has beside the decisions: what placing an
/// op elsewhere would cost. They take time.
struct LoggedCosts {
  std::vector<std::string> of; ///< names as --explain takes them
  bool all = false;            ///< of all ops, where there are few
};

/// Options of placement.
struct PlacementOptions {
  std::string kernels;            ///< JSON file for tfir.custom
  std::vector<std::string> place; ///< rules, before those of the file
  std::string rules;              ///< file of rules
  PolicyKind policy = PolicyKind::FirstGpu;
  bool soft = false;    ///< --allow-soft-placement
  std::string costs;    ///< JSON file of speeds
  std::string lock;     ///< file of a placement that may not change
  bool remarks = false; ///< every decision as a remark
  LoggedCosts logged;
};

/// In place of architectures: programs on GPUs have code for the CPU only.
inline constexpr llvm::StringLiteral kNoGpuArch = "none";

/// Options for compiling programs on GPUs.
struct GpuOptions {
  /// Architectures; the PTX of one runs on all later ones, too.
  std::vector<std::string> archs;
  MatmulPrecision matmul = MatmulPrecision::F32; ///< of operands of libraries
  bool cubin = false; ///< machine code of ptxas beside the PTX
};

struct CompileOptions {
  /// Constants of a text ("n=24") in place of those that it has.
  std::vector<std::string> define;
  /// `?` dimensions by name of a feed ("x=100,784") or of a dataset
  /// ("train=100").
  std::vector<std::string> bind;
  /// The first `?` of every feed, and the batch of every dataset without one.
  std::optional<int64_t> batch;
  DeviceOptions devices;
  ReplicationOptions replication;
  PlacementOptions placement;
  GpuOptions gpu;
  Precision precision = Precision::F32; ///< of products and what follows
  WireFormat wire = WireFormat::F32;    ///< of values between tasks
  /// Target that makes the code of CPUs (lib/target/Targets.cpp).
  std::string cpuTarget = "cpu";
  /// "x86-64-v3", "x86-64-v4"; all if there is none.
  std::vector<std::string> cpuLevels;
  OptLevel optLevel = OptLevel::Full; ///< of CPUs' kernels
  /// Names of ops, with '*', whose values are results of their kernels.
  std::vector<std::string> keep;
  /// Bounds on bytes, messages and memory: see docs/partition.md.
  std::vector<std::string> budgets;
  /// Look for what is right but probably not meant.
  std::optional<LintMode> lint;
  /// Look for all errors, up to phase 'scheduled', and make nothing: a graph
  /// with an error hides none of another.
  bool check = false;
  /// Stop after this phase and give its text instead of a model.
  std::optional<Phase> stopAfter;
  /// The input is what this phase gives; the phases up to it are left out.
  std::optional<Phase> startAt;
  /// Folder for the text of every phase; empty: none.
  std::string dumpPhases;
  /// Folder of machine code that was made before, and may be used again: the
  /// model is the same. Empty: none.
  std::string codeCache;
  /// Print the seconds that each phase took to stderr.
  bool timing = false;
};

} // namespace graphc

#endif
