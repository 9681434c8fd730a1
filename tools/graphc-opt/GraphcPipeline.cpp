// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-opt/GraphcPipeline.h"

#include "graphc/Options.h"
#include "lib/pipeline/ResolveOptions.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace graphc {

namespace {

constexpr llvm::StringLiteral kName = "graphc-pipeline";

/// Flags of graphc, under the same names. Those about files that tools write,
/// and --workers, which is about several modules, have no place here.
struct Flags : PassPipelineOptions<Flags> {
  ListOption<std::string> devices{*this, "devices",
                                  llvm::cl::desc("Devices to compile for")};
  Option<int64_t> cpuDevices{*this, "cpu-devices",
                             llvm::cl::desc("So many CPU devices"),
                             llvm::cl::init(0)};
  Option<std::string> cluster{*this, "cluster",
                              llvm::cl::desc("JSON file of tasks")};
  Option<std::string> deviceList{*this, "device-list",
                                 llvm::cl::desc("JSON file of devices")};
  ListOption<std::string> bind{*this, "bind",
                               llvm::cl::desc("Sizes such as x:100x784")};
  Option<int64_t> batch{*this, "batch",
                        llvm::cl::desc("First '?' of feeds; 0: leave it"),
                        llvm::cl::init(0)};
  Option<Replicate> replicate{*this, "replicate", llvm::cl::desc("Make towers"),
                              llvm::cl::init(Replicate::Auto)};
  Option<int64_t> replicas{*this, "replicas", llvm::cl::desc("Towers"),
                           llvm::cl::init(0)};
  Option<int64_t> stages{*this, "pipeline", llvm::cl::desc("Stages"),
                         llvm::cl::init(0)};
  Option<int64_t> microBatches{*this, "micro-batches",
                               llvm::cl::desc("Parts of a batch"),
                               llvm::cl::init(0)};
  Option<PipelineSchedule> schedule{*this, "pipeline-schedule",
                                    llvm::cl::desc("Order of micro-batches"),
                                    llvm::cl::init(PipelineSchedule::Gpipe)};
  Option<VariableHome> variables{*this, "variable-device",
                                 llvm::cl::desc("A device, or mirrored")};
  Option<Reduce> reduce{*this, "reduce", llvm::cl::desc("Sum of gradients"),
                        llvm::cl::init(Reduce::Auto)};
  Option<bool> shards{*this, "shard-updates",
                      llvm::cl::desc("Each device updates its rows"),
                      llvm::cl::init(false)};
  Option<FeedMode> feeds{*this, "feeds", llvm::cl::desc("Division of feeds"),
                         llvm::cl::init(FeedMode::Split)};
  Option<bool> canonical{*this, "canonical",
                         llvm::cl::desc("As --numerics=canonical"),
                         llvm::cl::init(false)};
  Option<bool> async{*this, "async",
                     llvm::cl::desc("Workers update by themselves"),
                     llvm::cl::init(false)};
  Option<PolicyKind> placement{*this, "placement",
                               llvm::cl::desc("Policy of placement"),
                               llvm::cl::init(PolicyKind::FirstGpu)};
  Option<bool> soft{*this, "allow-soft-placement",
                    llvm::cl::desc("Ignore requests that cannot be met"),
                    llvm::cl::init(false)};
  Option<std::string> rules{*this, "rules", llvm::cl::desc("File of rules")};
  ListOption<std::string> cpuLevels{*this, "cpu-level",
                                    llvm::cl::desc("x86-64-v3, x86-64-v4")};
  Option<OptLevel> optLevel{*this, "opt-level",
                            llvm::cl::desc("How much LLVM optimizes"),
                            llvm::cl::init(OptLevel::Full)};
  ListOption<std::string> gpuArchs{*this, "gpu-arch",
                                   llvm::cl::desc("Such as sm_80, or none")};
  Option<std::string> codeCache{*this, "code-cache",
                                llvm::cl::desc("Folder of code made before")};

  CompileOptions toCompileOptions() const;
};

CompileOptions Flags::toCompileOptions() const {
  CompileOptions options;
  options.bind.assign(bind.begin(), bind.end());
  if (batch)
    options.batch = batch;
  options.devices.devices.assign(devices.begin(), devices.end());
  options.devices.cpuDevices = cpuDevices;
  options.devices.cluster = cluster;
  options.devices.deviceList = deviceList;
  options.replication.replicate = replicate;
  options.replication.replicas = replicas;
  options.replication.pipeline = {stages, microBatches, schedule};
  options.replication.variables = variables;
  options.replication.reduce = reduce;
  options.replication.shardsUpdates = shards;
  options.replication.feeds = feeds;
  options.replication.canonical = canonical;
  options.replication.async = async;
  options.placement.policy = placement;
  options.placement.soft = soft;
  options.placement.rules = rules;
  options.cpuLevels.assign(cpuLevels.begin(), cpuLevels.end());
  options.optLevel = optLevel;
  options.gpu.archs.assign(gpuArchs.begin(), gpuArchs.end());
  options.codeCache = codeCache;
  return options;
}

/// FROM..TO: the phase of the input, none for a source, and the last one.
struct PhaseRange {
  std::optional<Phase> from;
  Phase to = Phase::Compiled;
};

/// Nothing for an empty name.
runtime::StatusOr<std::optional<Phase>> readPhase(StringRef name) {
  std::optional<Phase> phase = parseChoice<Phase>(name);
  if (!phase && !name.empty())
    return runtime::invalidArgument(
        "'" + name.str() + "' is no phase; phases are " + phaseNames());
  return phase;
}

runtime::StatusOr<PhaseRange> readRange(StringRef text) {
  size_t dots = text.find("..");
  if (dots == StringRef::npos)
    return runtime::invalidArgument(
        "'" + text.str() +
        "' is no range of phases; write FROM..TO, such as parsed..lowered, or "
        "..TO for a source; phases are " +
        phaseNames());
  PhaseRange range;
  GRAPHC_ASSIGN_OR_RETURN(range.from, readPhase(text.take_front(dots)));
  GRAPHC_ASSIGN_OR_RETURN(std::optional<Phase> to,
                          readPhase(text.drop_front(dots + 2)));
  range.to = to.value_or(Phase::Compiled);
  if (range.from && range.to <= *range.from)
    return runtime::invalidArgument(
        "phase '" + choiceName(range.to).str() + "' is not after phase '" +
        choiceName(*range.from).str() + "'; phases are " + phaseNames());
  return range;
}

/// The report is left out: it is part of model.bin and of no text.
void build(OpPassManager &pm, const PhaseRange &range,
           const CompileOptions &options) {
  buildInput(pm, range.from, options);
  for (Phase phase : kAllPhases)
    if ((!range.from || phase > *range.from) && phase <= range.to)
      buildPhase(pm, phase, options);
}

/// Adds the passes that `text` asks for: a range, and flags after it.
LogicalResult
parsePipeline(OpPassManager &pm, StringRef text,
              function_ref<LogicalResult(const Twine &)> onError) {
  auto [first, rest] = text.ltrim().split(' ');
  runtime::StatusOr<PhaseRange> range = readRange(first);
  if (!range.isOk())
    return onError(kName + ": " + range.status().message());
  Flags flags;
  if (failed(flags.parseFromString(rest))) // which prints what is wrong
    return onError(kName + ": '" + rest + "' are no flags of it");
  runtime::StatusOr<CompileOptions> options =
      resolveOptions(flags.toCompileOptions());
  if (!options.isOk())
    return onError(kName + ": " + options.status().message());
  build(pm, *range, *options);
  return success();
}

} // namespace

void registerGraphcPipeline() {
  registerPassPipeline(
      kName, "FROM..TO and flags of graphc: the passes between two phases",
      parsePipeline, [](function_ref<void(const detail::PassOptions &)> show) {
        show(Flags());
      });
}

} // namespace graphc
