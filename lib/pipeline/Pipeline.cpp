// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists every pass in order, one function per phase, with the reason for each
// place. Not passes, as their inputs or results are no modules: reading the
// text (Compiler.cpp) and writing model.bin (lib/package/WriteModel.h).
#include "graphc/Pipeline.h"

#include "graphc/Options.h"
#include "graphc/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc {

namespace {

/// The oldest architecture that kernels are compiled for: its code runs on
/// every later one.
constexpr StringLiteral kUsualGpuArch = "sm_80";

/// Folds constants, drops what nobody uses, merges what is computed twice.
/// Equal constants stay apart before placement: each has a name, and perhaps a
/// device.
void addCleanup(OpPassManager &pm, bool mergesConstants = true) {
  GreedyRewriteConfig config;
  config.enableConstantCSE(mergesConstants);
  pm.addPass(createCanonicalizerPass(config));
  pm.addPass(createCSEPass());
}

/// Checks the promise of a phase.
void addVerifier(OpPassManager &pm, Phase phase) {
  VerifyPhasePassOptions options;
  options.phase = phase;
  pm.addPass(createVerifyPhasePass(options));
}

/// Writes the table of devices.
void addDevices(OpPassManager &pm, const DeviceOptions &devices) {
  DeclareDevicesPassOptions options;
  options.devices.assign(devices.devices.begin(), devices.devices.end());
  options.cpuDevices = devices.cpuDevices;
  options.cluster = devices.cluster;
  options.deviceList = devices.deviceList;
  options.workers = devices.workers;
  pm.addPass(createDeclareDevicesPass(options));
}

/// Programs on GPUs get code for them, beside that for the host.
bool hasGpuCode(const CompileOptions &options) {
  return options.gpu.archs != std::vector<std::string>{kNoGpuArch.str()};
}

/// Looks for what is probably not meant, if the user asked.
void addLint(OpPassManager &pm, LintStage stage,
             const CompileOptions &options) {
  if (!options.lint)
    return;
  LintPassOptions lint;
  lint.stage = stage;
  lint.asErrors = options.lint == LintMode::Error;
  pm.addPass(createLintPass(lint));
}

/// model.tfir -> parsed: one static, flat, named list of ops per graph.
void buildParsed(OpPassManager &pm, const CompileOptions &options) {
  // Flags and files of devices first: no other pass reads them.
  addDevices(pm, options.devices);

  // Scopes next: everything below sees one flat block per graph, and devices
  // that are parsed.
  pm.addPass(createFlattenDeviceScopesPass());

  // From here on what is shown is fetched, and treated as such.
  pm.addPass(createCollectSummariesPass());

  // Towers take their parts of a batch, so their number comes first.
  PlanReplicasPassOptions plan;
  // Workers with instances of their own have a whole batch each.
  plan.replicate = options.replication.coordination == Coordination::None
                       ? options.replication.replicate
                       : Replicate::None;
  plan.replicas = options.replication.replicas;
  plan.stages = options.replication.pipeline.stages;
  plan.microBatches = options.replication.pipeline.microBatches;
  plan.schedule = options.replication.pipeline.schedule;
  pm.addPass(createPlanReplicasPass(plan));

  // From here on every shape is static.
  BindShapesPassOptions bind;
  bind.bindings.assign(options.bind.begin(), options.bind.end());
  for (std::string &text : bind.bindings) // x=100,784 -> x:100x784
    for (char &c : text)
      c = c == '=' ? ':' : c == ',' ? 'x' : c;
  bind.batch = options.batch.value_or(0);
  bind.feeds = options.replication.feeds;
  bind.workers = options.devices.workers;
  pm.addPass(createBindShapesPass(bind));

  // Once the inputs of loops tell how many steps there are; from here on graphs
  // have no bodies.
  pm.addPass(createExpandControlPass());

  // Names before anything is folded, so that they count as the user wrote them.
  pm.addPass(createAssignNamesPass());

  addLint(pm, LintStage::Parsed, options);
  addVerifier(pm, Phase::Parsed);
}

/// parsed -> differentiated: no gradient or loss is left; tfir.apply updates
/// variables.
void buildDifferentiated(OpPassManager &pm, const CompileOptions &options) {
  pm.addPass(createResolveAveragesPass());

  // Gradients are then those of f32 ops.
  pm.addPass(createWidenHalvesPass());

  // Short forms (dropout, l2_loss) have no gradients of their own.
  pm.addPass(createDecomposePass());

  // Gradients are computed where their ops are.
  PlanStagesPassOptions stages;
  stages.costs = options.placement.costs;
  pm.addPass(createPlanStagesPass(stages));
  pm.addPass(createDifferentiatePass());
  addVerifier(pm, Phase::Differentiated);
}

/// differentiated -> replicated: one copy per tower of what depends on the
/// examples; variables are read at the top and written at the end.
void buildReplicated(OpPassManager &pm, const CompileOptions &options,
                     const PipelineOutputs &outputs) {
  // While what the user wrote is there, used or not.
  CheckRequestsPassOptions requests;
  requests.soft = options.placement.soft;
  pm.addPass(createCheckRequestsPass(requests));

  const ReplicationOptions &how = options.replication;
  if (how.coordination == Coordination::None) {
    ReplicatePassOptions replicate;
    replicate.variables = how.variables;
    replicate.reduce = how.reduce;
    replicate.feeds = how.feeds;
    replicate.canonical = how.canonical;
    replicate.shards = how.shardsUpdates;
    pm.addPass(createReplicatePass(replicate, outputs.takeShards));
  } else {
    MakeInstancesPassOptions instances;
    instances.coordination = how.coordination;
    instances.quorum = how.quorum;
    instances.staleness = how.staleness.value_or(-1);
    instances.replicas = how.replicas;
    pm.addPass(createMakeInstancesPass(instances));
  }

  // Updates become arithmetic that fuses with the gradients' last op.
  pm.addPass(createExpandStatePass());
  pm.addPass(createPromoteVariablesPass());
  addCleanup(pm, /*mergesConstants=*/false);

  // Once updates are arithmetic, which stays f32, and towers have ops of their
  // own.
  if (options.precision != Precision::F32) {
    MixPrecisionPassOptions mix;
    mix.type = options.precision;
    pm.addPass(createMixPrecisionPass(mix));
  }

  // Folding makes constants that nobody has named.
  pm.addPass(createAssignNamesPass());
  addVerifier(pm, Phase::Replicated);
}

/// Cuts variables that are too large for one server, if these shall have equal
/// shares.
void addVariableSplitting(OpPassManager &pm, const CompileOptions &options) {
  const PlacementOptions &placement = options.placement;
  if (placement.policy != PolicyKind::PsByBytes)
    return;
  SplitVariablesPassOptions split;
  split.place.assign(placement.place.begin(), placement.place.end());
  split.rules = placement.rules;
  pm.addPass(createSplitVariablesPass(split));
}

/// replicated -> placed: where everything is.
void buildPlaced(OpPassManager &pm, const CompileOptions &options,
                 const PipelineOutputs &outputs) {
  // Parts are placed one by one.
  addVariableSplitting(pm, options);

  PlacePassOptions place;
  place.kernels = options.placement.kernels;
  place.place.assign(options.placement.place.begin(),
                     options.placement.place.end());
  place.rules = options.placement.rules;
  place.policy = options.placement.policy;
  place.soft = options.placement.soft;
  place.costs = options.placement.costs;
  place.lock = options.placement.lock;
  place.remarks = options.placement.remarks;
  pm.addPass(
      createPlacePass(place, options.placement.logged, outputs.takePlacement));

  // Now that it is known what comes from other devices.
  OrderMicroBatchesPassOptions order;
  order.costs = options.placement.costs;
  pm.addPass(createOrderMicroBatchesPass(order, outputs.takePipeline));

  addLint(pm, LintStage::Placed, options);
  addVerifier(pm, Phase::Placed);
}

/// placed -> partitioned: one graph per device.
void buildPartitioned(OpPassManager &pm, const CompileOptions &options,
                      const PipelineOutputs &outputs) {
  // Of whole graphs, which are taken apart from here on.
  if (outputs.takeReport)
    pm.addPass(createMakeReportPass(outputs.placement, outputs.takeReport));

  // Of ops that are placed: both variants have them on the same devices.
  pm.addPass(createAddSummaryVariantsPass());

  // A tower is then one program wherever it runs, with the same kernels.
  PartitionPassOptions partition;
  partition.byReplica = options.replication.canonical;
  pm.addPass(createPartitionPass(partition));

  // Now that it is known what crosses tasks.
  if (options.wire == WireFormat::Bf16)
    pm.addPass(createNarrowTransfersPass());

  // What is sent is of the step's start, what is assigned of its end.
  pm.addPass(createSplitUpdatesPass());
  addVerifier(pm, Phase::Partitioned);
}

/// partitioned -> lowered: each graph launches kernels, each kernel is
/// linalg.
void buildLowered(OpPassManager &pm, const CompileOptions &options) {
  // Before anything is done for one kind of device.
  AddHostVariantsPassOptions variants;
  variants.only = !hasGpuCode(options);
  pm.addPass(createAddHostVariantsPass(variants));

  // All others ask for the target.
  SelectTargetsPassOptions select;
  select.cpuTarget = options.cpuTarget;
  pm.addPass(createSelectTargetsPass(select));

  // Targets have code for f32 and casts.
  pm.addPass(createWidenHalvesPass());
  pm.addPass(createPrepareContractionsPass());

  // After the gradients of convolutions, which add reductions; the cleanup
  // drops what gave its shape away.
  pm.addPass(createSplitReductionsPass());
  addCleanup(pm);

  // After everything that merges equal ops.
  pm.addPass(createIsolateSummariesPass());
  FormKernelsPassOptions form;
  form.keep.assign(options.keep.begin(), options.keep.end());
  pm.addPass(createFormKernelsPass(form));
  pm.addPass(createLowerKernelsPass());
  addVerifier(pm, Phase::Lowered);
}

void addBudgetCheck(OpPassManager &pm, const CompileOptions &options) {
  CheckBudgetsPassOptions budgets;
  budgets.budgetTexts.assign(options.budgets.begin(), options.budgets.end());
  pm.addPass(createCheckBudgetsPass(budgets));
}

/// lowered -> scheduled: instructions in order, every value with its place.
void buildScheduled(OpPassManager &pm, const CompileOptions &options) {
  pm.addPass(createScheduleProgramsPass());

  // Now that it is known what each kernel writes in place.
  pm.addPass(createMergeKernelsPass());

  // Now that all bytes but GPUs' scratch are known, and before code is made for
  // nothing.
  addBudgetCheck(pm, options);
  addVerifier(pm, Phase::Scheduled);
}

/// scheduled -> compiled: machine code for every level of CPU, and what
/// accelerators run.
void buildCompiled(OpPassManager &pm, const CompileOptions &options) {
  // First, since it reads the kernels that the other takes away.
  CompileGpuKernelsPassOptions gpu;
  gpu.canonical = options.replication.canonical;
  gpu.archs.assign(options.gpu.archs.begin(), options.gpu.archs.end());
  if (gpu.archs.empty())
    gpu.archs = {kUsualGpuArch.str()};
  gpu.precision = options.gpu.matmul;
  gpu.cubin = options.gpu.cubin;
  gpu.cache = options.codeCache;
  if (hasGpuCode(options))
    pm.addPass(createCompileGpuKernelsPass(gpu));

  // Now with the scratch of these kernels, and before there are more.
  addBudgetCheck(pm, options);

  CompileKernelsPassOptions compile;
  compile.canonical = options.replication.canonical;
  compile.levels.assign(options.cpuLevels.begin(), options.cpuLevels.end());
  compile.optLevel = options.optLevel;
  compile.cache = options.codeCache;
  pm.addPass(createCompileKernelsPass(compile));
  addVerifier(pm, Phase::Compiled);
}

} // namespace

std::string phaseNames() { return llvm::join(choiceNames<Phase>(), ", "); }

void buildInput(OpPassManager &pm, std::optional<Phase> phase,
                const CompileOptions &options) {
  if (!phase) {
    pm.addPass(createVerifySourcePass());
    return;
  }
  // A text that a user wrote or changed may break the promise of its phase.
  addVerifier(pm, *phase);

  // It has its table of devices, unless others are given.
  if (options.devices.areGiven())
    addDevices(pm, options.devices);
}

void buildPhase(OpPassManager &pm, Phase phase, const CompileOptions &options,
                const PipelineOutputs &outputs) {
  switch (phase) {
  case Phase::Parsed:
    return buildParsed(pm, options);
  case Phase::Differentiated:
    return buildDifferentiated(pm, options);
  case Phase::Replicated:
    return buildReplicated(pm, options, outputs);
  case Phase::Placed:
    return buildPlaced(pm, options, outputs);
  case Phase::Partitioned:
    return buildPartitioned(pm, options, outputs);
  case Phase::Lowered:
    return buildLowered(pm, options);
  case Phase::Scheduled:
    return buildScheduled(pm, options);
  case Phase::Compiled:
    return buildCompiled(pm, options);
  }
}

void buildVariants(OpPassManager &pm) {
  // Now that each plan is what it is alone, and before code is made, once for
  // all.
  pm.addPass(createJoinMembersPass());
  addVerifier(pm, Phase::Scheduled);
}

} // namespace graphc
