// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses, runs the phases of Pipeline.cpp, dumps each, and writes the model.
#include "graphc/Compiler.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "lib/package/WriteModel.h"
#include "lib/pipeline/CompileVariants.h"
#include "lib/pipeline/ErrorHints.h"
#include "lib/pipeline/ResolveOptions.h"
#include "lib/placement/PlacementLog.h"
#include "lib/replication/WorkerRange.h"
#include "lib/target/Target.h"
#include "lib/text/ParseText.h"
#include "lib/text/Types.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace mlir;

namespace graphc {

void registerAllDialects(DialectRegistry &registry) {
  registry.insert<tfir::TfirDialect, exec::ExecDialect, func::FuncDialect>();
  registerTargetDialects(registry);
}

namespace {

using Clock = std::chrono::steady_clock;

/// Prints what each part took.
class Stopwatch {
public:
  explicit Stopwatch(bool enabled) : enabled(enabled) {}

  void lap(StringRef part) {
    Clock::time_point now = Clock::now();
    if (enabled)
      llvm::errs() << llvm::format(
          "%8.1f ms  %s\n",
          std::chrono::duration<double, std::milli>(now - start).count(),
          part.str().c_str());
    start = now;
  }

private:
  bool enabled;
  Clock::time_point start = Clock::now();
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

LogicalResult dump(ModuleOp module, Phase phase,
                   const CompileOptions &options) {
  if (options.dumpPhases.empty())
    return success();
  SmallString<128> path(options.dumpPhases);
  std::string name;
  llvm::raw_string_ostream(name)
      << llvm::format("%02d-", static_cast<int>(phase)) << choiceName(phase)
      << ".mlir";
  llvm::sys::path::append(path, name);
  std::error_code error = llvm::sys::fs::create_directories(options.dumpPhases);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      file << print(module);
      file.close();
      // A stream that keeps an error ends the process.
      error = file.error();
      file.clear_error();
    }
  }
  if (error)
    return emitError(UnknownLoc::get(module.getContext()))
           << "cannot write '" << path << "': " << error.message();
  return success();
}

/// The flags of `options` whose values are texts.
void addTextFlags(const CompileOptions &options,
                  std::vector<std::string> &flags) {
  const CompileOptions none;
  auto add = [&](StringRef flag, StringRef value) {
    if (!value.empty())
      flags.push_back((flag + "=" + value).str());
  };
  auto addChoice = [&](StringRef flag, auto value, auto usual) {
    if (value != usual)
      add(flag, choiceName(value));
  };
  const ReplicationOptions &replication = options.replication;
  const PlacementOptions &placement = options.placement;
  add("--cluster", options.devices.cluster);
  add("--device-list", options.devices.deviceList);
  addChoice("--replicate", replication.replicate, none.replication.replicate);
  add("--variable-device", toText(replication.variables));
  addChoice("--reduce", replication.reduce, none.replication.reduce);
  addChoice("--feeds", replication.feeds, none.replication.feeds);
  addChoice("--pipeline-schedule", replication.pipeline.schedule,
            none.replication.pipeline.schedule);
  if (replication.replication)
    add("--replication", choiceName(*replication.replication));
  if (replication.sync)
    add("--sync", toText(*replication.sync));
  if (replication.workers)
    add("--workers", toText(*replication.workers));
  if (options.cpuTarget != none.cpuTarget)
    add("--cpu-target", options.cpuTarget);
  addChoice("--opt-level", options.optLevel, none.optLevel);
  addChoice("--matmul", options.gpu.matmul, none.gpu.matmul);
  addChoice("--precision", options.precision, none.precision);
  addChoice("--wire", options.wire, none.wire);
  addChoice("--placement", placement.policy, none.placement.policy);
  for (const std::string &rule : placement.place)
    add("--place", rule);
  add("--rules", placement.rules);
  add("--kernels", placement.kernels);
  add("--costs", placement.costs);
  for (const std::string &pattern : options.keep)
    add("--keep", pattern);
}

/// The flags that change the result, as the command line spells them.
std::vector<std::string> flagsOf(const CompileOptions &options) {
  std::vector<std::string> flags;
  for (const std::string &define : options.define)
    flags.push_back("--define=" + define);
  for (const std::string &bind : options.bind)
    flags.push_back("--bind=" + bind);
  if (options.batch)
    flags.push_back("--batch=" + std::to_string(*options.batch));
  for (const std::string &device : options.devices.devices)
    flags.push_back("--devices=" + device);
  if (options.devices.cpuDevices)
    flags.push_back("--cpu-devices=" +
                    std::to_string(options.devices.cpuDevices));
  if (options.replication.replicas)
    flags.push_back("--replicas=" +
                    std::to_string(options.replication.replicas));
  const PipelineOptions &pipeline = options.replication.pipeline;
  if (pipeline.stages)
    flags.push_back("--pipeline=" + std::to_string(pipeline.stages));
  if (pipeline.microBatches)
    flags.push_back("--micro-batches=" + std::to_string(pipeline.microBatches));
  if (options.replication.canonical)
    flags.push_back("--numerics=canonical");
  if (options.replication.shardsUpdates)
    flags.push_back("--shard-updates");
  if (options.replication.async)
    flags.push_back("--async");
  if (options.replication.staleness)
    flags.push_back("--staleness=" +
                    std::to_string(*options.replication.staleness));
  for (const std::string &level : options.cpuLevels)
    flags.push_back("--cpu-level=" + level);
  for (const std::string &arch : options.gpu.archs)
    flags.push_back("--gpu-arch=" + arch);
  if (options.gpu.cubin)
    flags.push_back("--gpu-cubin");
  if (options.placement.soft)
    flags.push_back("--allow-soft-placement");
  addTextFlags(options, flags);
  return flags;
}

/// Shows what the report takes apart from the phase that it is made in.
class ReportLap : public PassInstrumentation {
public:
  explicit ReportLap(Stopwatch &watch) : watch(watch) {}

  void runAfterPass(Pass *pass, Operation *) override {
    if (pass->getArgument() == "tfir-make-report")
      watch.lap("report");
  }

private:
  Stopwatch &watch;
};

/// Runs phases one after another.
class PhaseRunner {
public:
  explicit PhaseRunner(Stopwatch &watch) : watch(watch) {}

  /// The phases after `done` up to `last`, which may be the same.
  LogicalResult run(ModuleOp module, std::optional<Phase> done, Phase last,
                    const CompileOptions &options,
                    const PipelineOutputs &outputs);

private:
  LogicalResult runPhase(ModuleOp module, Phase phase,
                         const CompileOptions &options,
                         const PipelineOutputs &outputs);

  Stopwatch &watch;
};

LogicalResult PhaseRunner::runPhase(ModuleOp module, Phase phase,
                                    const CompileOptions &options,
                                    const PipelineOutputs &outputs) {
  PassManager pm(module.getContext());
  // The last pass of each phase verifies the module.
  pm.enableVerifier(false);
  pm.addInstrumentation(std::make_unique<ReportLap>(watch));
  buildPhase(pm, phase, options, outputs);
  if (failed(pm.run(module)) || failed(dump(module, phase, options)))
    return failure();
  watch.lap(choiceName(phase));
  return success();
}

LogicalResult PhaseRunner::run(ModuleOp module, std::optional<Phase> done,
                               Phase last, const CompileOptions &options,
                               const PipelineOutputs &outputs) {
  for (Phase phase : kAllPhases) {
    if (phase > last || (done && phase <= *done))
      continue;
    if (failed(runPhase(module, phase, options, outputs)))
      return failure();
    if (phase == Phase::Parsed && module.getOps<tfir::GraphOp>().empty())
      return emitError(module.getLoc(), "there is no graph to compile; write "
                                        "one with tfir.graph");
  }
  return success();
}

std::string placeAndText(const Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream(text) << diagnostic.getLocation() << diagnostic;
  return text;
}

/// Prints a diagnostic of flags or files, which has no line in the source.
LogicalResult printWithoutPlace(const Diagnostic &diagnostic) {
  DiagnosticSeverity severity = diagnostic.getSeverity();
  StringRef kind = severity == DiagnosticSeverity::Error     ? "error"
                   : severity == DiagnosticSeverity::Warning ? "warning"
                                                             : "note";
  llvm::errs() << "graphc: " << kind << ": " << diagnostic << "\n";
  for (const Diagnostic &note : diagnostic.getNotes())
    llvm::errs() << "graphc: note: " << note << "\n";
  return success();
}

/// Reports a diagnostic of a text in the words of the text language, in place
/// of MLIR's. Fails where they are the same: then another handler prints it.
LogicalResult reportInWordsOfText(const Diagnostic &diagnostic) {
  std::string before = diagnostic.str();
  std::string words = text::inWordsOfText(before);
  auto notes = diagnostic.getNotes();
  bool isSame = words == before && llvm::all_of(notes, [](Diagnostic &note) {
                  std::string text = note.str();
                  return text::inWordsOfText(text) == text;
                });
  if (isSame)
    return failure();
  MLIRContext *context = diagnostic.getLocation().getContext();
  InFlightDiagnostic copy = context->getDiagEngine().emit(
      diagnostic.getLocation(), diagnostic.getSeverity());
  copy << words;
  for (const Diagnostic &note : notes)
    copy.attachNote(note.getLocation()) << text::inWordsOfText(note.str());
  return success();
}

/// Parses the source and checks what its first phase takes for granted.
OwningOpRef<ModuleOp> parse(const llvm::SourceMgr &sources,
                            MLIRContext &context,
                            const CompileOptions &options) {
  const llvm::MemoryBuffer &buffer =
      *sources.getMemoryBuffer(sources.getMainFileID());
  StringRef file = buffer.getBufferIdentifier();
  if (!options.define.empty() && !text::isText(buffer.getBuffer())) {
    emitError(FileLineColLoc::get(&context, file, 1, 1))
        << "--define sets constants of the text language, and this is MLIR's "
           "form, which has none";
    return nullptr;
  }
  text::Definitions definitions;
  for (StringRef define : options.define)
    definitions.push_back(
        {define.split('=').first.str(), define.split('=').second.str()});
  text::setDefinitions(std::move(definitions));
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return nullptr;
  // A source that does not begin with `module` has none at a place; errors
  // about the whole are at the file's first line.
  auto place = dyn_cast<FileLineColLoc>(module->getLoc());
  if (place && place.getLine() == 0)
    module.get()->setLoc(FileLineColLoc::get(&context, file, 1, 1));
  if (options.startAt && module->getBody()->empty() &&
      module->getOperation()->getAttrs().empty()) {
    emitError(module->getLoc())
        << "there is nothing in this text; --start-at="
        << choiceName(*options.startAt)
        << " reads what --stop-after=" << choiceName(*options.startAt)
        << " printed";
    return nullptr;
  }
  PassManager pm(&context);
  buildInput(pm, options.startAt, options);
  return succeeded(pm.run(*module)) ? std::move(module) : nullptr;
}

/// Brings the module from what it is to what is asked for.
LogicalResult runPhases(OwningOpRef<ModuleOp> &module, PhaseRunner &runner,
                        const CompileOptions &options,
                        const PipelineOutputs &outputs) {
  Phase last = options.check ? Phase::Scheduled
                             : options.stopAfter.value_or(Phase::Compiled);
  if (!hasVariants(options))
    return runner.run(*module, options.startAt, last, options, outputs);
  FailureOr<OwningOpRef<ModuleOp>> joined = compileVariants(
      *module, options,
      [&](ModuleOp member, const CompileOptions &own, bool isShown) {
        return runner.run(member, std::nullopt, Phase::Scheduled, own,
                          isShown ? outputs : PipelineOutputs());
      });
  if (failed(joined))
    return failure();
  module = std::move(*joined);
  return runner.run(*module, Phase::Scheduled, last, options, outputs);
}

/// Runs the phases for the graphs of a module one after the other. The errors
/// of all are printed by the context's handler.
void checkEachGraph(ModuleOp module, PhaseRunner &runner,
                    const CompileOptions &options) {
  size_t graphs = llvm::range_size(module.getOps<tfir::GraphOp>());
  for (size_t i = 0; graphs > 1 && i < graphs; ++i) {
    OwningOpRef<ModuleOp> alone = module.clone();
    SmallVector<tfir::GraphOp> own(alone->getOps<tfir::GraphOp>());
    own.erase(own.begin() + i);
    for (tfir::GraphOp other : own)
      other.erase();
    (void)runPhases(alone, runner, options, {});
  }
}

} // namespace

FailureOr<CompileResult> compile(std::unique_ptr<llvm::MemoryBuffer> source,
                                 const CompileOptions &given) {
  Stopwatch watch(given.timing);
  DialectRegistry registry;
  registerAllDialects(registry);
  // The machine's cores are used where it pays: for machine code.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  // A diagnostic shows the line of the source, not the op in other words.
  context.printOpOnDiagnostic(false);
  StringRef text = source->getBuffer();
  std::string copy = text.str();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(source), SMLoc());
  SourceMgrDiagnosticHandler printer(sources, &context);
  bool isText = text::isText(copy);
  llvm::StringSet<> seen;
  ScopedDiagnosticHandler hints(&context, [&](Diagnostic &diagnostic) {
    if (given.check && !seen.insert(placeAndText(diagnostic)).second)
      return success();
    if (isa<UnknownLoc>(diagnostic.getLocation()))
      return printWithoutPlace(diagnostic);
    if (isText && succeeded(reportInWordsOfText(diagnostic)))
      return success();
    return addHint(context, diagnostic);
  });
  runtime::StatusOr<CompileOptions> options = resolveOptions(given);
  if (!options.isOk())
    return emitError(UnknownLoc::get(&context)) << options.status().message();
  watch.lap("start");

  OwningOpRef<ModuleOp> module = parse(sources, context, *options);
  if (!module)
    return failure();
  watch.lap("parse");
  PhaseRunner runner(watch);
  CompileResult result;
  result.placement = std::make_shared<PlacementLog>();
  std::string report;
  PipelineOutputs outputs;
  outputs.takePlacement = [&](std::shared_ptr<const PlacementLog> log) {
    result.placement = std::move(log);
  };
  outputs.takePipeline = [&](const std::string &text) {
    result.pipeline += text;
  };
  outputs.takeShards = [&](const std::string &text) { result.shards += text; };
  outputs.placement = [&] { return result.placement; };
  outputs.takeReport = [&](std::string text) { report = std::move(text); };
  OwningOpRef<ModuleOp> untouched;
  if (options->check)
    untouched = module->clone();
  if (failed(runPhases(module, runner, *options, outputs))) {
    if (options->check)
      checkEachGraph(*untouched, runner, *options);
    return failure();
  }
  if (options->check)
    return result;
  if (options->stopAfter) {
    result.text = print(*module);
    return result;
  }
  if (hasVariants(*options))
    report =
        reportOfVariants(report, *module, options->replication.workers->last);
  result.model =
      writeModel(*module, {copy, flagsOf(*options), std::move(report)});
  watch.lap("packaged");
  return result;
}

} // namespace graphc
