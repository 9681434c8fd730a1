// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses, runs the phases, verifies and dumps each, and writes the model.
#include "graphc/Compiler.h"

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "lib/codegen/CodegenDialects.h"
#include "lib/package/WriteModel.h"
#include "lib/placement/PlacementLog.h"
#include "lib/replication/ResolveReplication.h"
#include "lib/report/MakeReport.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
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
  registerCodegenDialects(registry);
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
      << llvm::format("%02d-", static_cast<int>(phase)) << phaseName(phase)
      << ".mlir";
  llvm::sys::path::append(path, name);
  std::error_code error = llvm::sys::fs::create_directories(options.dumpPhases);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error)
      file << print(module);
  }
  if (error)
    return emitError(UnknownLoc::get(module.getContext()))
           << "cannot write '" << path << "': " << error.message();
  return success();
}

LogicalResult runPhase(ModuleOp module, Phase phase,
                       const CompileOptions &options) {
  PassManager pm(module.getContext());
  buildPhase(pm, phase, options);
  if (failed(pm.run(module)) || failed(verifyPhase(module, phase)))
    return failure();
  return dump(module, phase, options);
}

/// The op of the graph language whose name is nearest; of several the one that
/// begins most like it.
StringRef nearestOp(MLIRContext &context, StringRef name) {
  StringRef nearest;
  std::pair<unsigned, int64_t> best{std::numeric_limits<unsigned>::max(), 0};
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    StringRef known = op.getStringRef();
    if (op.getDialectNamespace() != tfir::TfirDialect::getDialectNamespace())
      continue;
    auto begin =
        std::mismatch(name.begin(), name.end(), known.begin(), known.end());
    std::pair<unsigned, int64_t> distance{name.edit_distance(known),
                                          name.begin() - begin.first};
    if (distance < best) {
      best = distance;
      nearest = known;
    }
  }
  return nearest;
}

/// MLIR's parser says that an op is unknown; this adds which one may be meant.
LogicalResult addCure(MLIRContext &context, Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef rest = text;
  if (rest.consume_front("custom op '"))
    diagnostic.attachNote()
        << "did you mean '" << nearestOp(context, rest.split('\'').first)
        << "'? docs/ops.md lists all ops";
  return failure(); // the next handler prints it
}

/// The flags of `options` whose values are texts.
void addTextFlags(const CompileOptions &options,
                  std::vector<std::string> &flags) {
  const CompileOptions none;
  auto add = [&](StringRef flag, const std::string &value,
                 const std::string &usual = "") {
    if (value != usual)
      flags.push_back((flag + "=" + value).str());
  };
  const ReplicationOptions &replication = options.replication;
  const PlacementOptions &placement = options.placement;
  add("--cluster", options.devices.cluster);
  add("--device-list", options.devices.deviceList);
  add("--replicate", replication.replicate, none.replication.replicate);
  add("--variable-device", replication.variableDevice);
  add("--reduce", replication.reduce, none.replication.reduce);
  add("--feeds", replication.feeds, none.replication.feeds);
  add("--replication", replication.replication);
  add("--sync", replication.sync);
  add("--placement", placement.policy, none.placement.policy);
  for (const std::string &rule : placement.place)
    add("--place", rule);
  add("--rules", placement.rules);
  add("--kernels", placement.kernels);
  add("--costs", placement.costs);
}

/// The flags that change the result, as the command line spells them.
std::vector<std::string> flagsOf(const CompileOptions &options) {
  std::vector<std::string> flags;
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
  if (options.replication.canonical)
    flags.push_back("--numerics=canonical");
  if (options.replication.async)
    flags.push_back("--async");
  if (options.replication.staleness)
    flags.push_back("--staleness=" +
                    std::to_string(*options.replication.staleness));
  if (options.placement.soft)
    flags.push_back("--allow-soft-placement");
  addTextFlags(options, flags);
  return flags;
}

} // namespace

FailureOr<CompileResult> compile(std::unique_ptr<llvm::MemoryBuffer> source,
                                 const CompileOptions &userOptions) {
  CompileOptions options = userOptions;
  // The report says why, whether or not the user asks for it on the way.
  PlacementLog ownLog;
  if (!options.placement.log)
    options.placement.log = &ownLog;
  Stopwatch watch(options.timing);
  DialectRegistry registry;
  registerAllDialects(registry);
  // The machine's cores are used where it pays: by LLVM, one level of CPU each.
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  // A diagnostic shows the line of the source, not the op in other words.
  context.printOpOnDiagnostic(false);
  StringRef text = source->getBuffer();
  std::string copy = text.str();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(source), SMLoc());
  SourceMgrDiagnosticHandler printer(sources, &context);
  ScopedDiagnosticHandler cures(&context, [&](Diagnostic &diagnostic) {
    return addCure(context, diagnostic);
  });
  if (runtime::Status status = resolveReplication(options); !status.isOk()) {
    emitError(UnknownLoc::get(&context)) << status.message();
    return failure();
  }
  watch.lap("start");

  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  // What a user wrote or changed need not be what the phase gives.
  if (options.startAt && failed(verifyPhase(*module, *options.startAt)))
    return failure();
  watch.lap("parse");
  std::string report;
  if (options.startAt == Phase::Placed)
    report = makeReport(*module, /*log=*/nullptr);
  for (Phase phase : kAllPhases) {
    if (options.startAt && phase <= *options.startAt)
      continue;
    if (failed(runPhase(*module, phase, options)))
      return failure();
    watch.lap(phaseName(phase));
    if (phase == Phase::Parsed && module->getOps<tfir::GraphOp>().empty())
      return emitError(module->getLoc(), "there is no graph to compile; write "
                                         "one with tfir.graph");
    if (options.stopAfter == phase)
      return CompileResult{{}, print(*module)};
    // The next phases take the graphs apart.
    if (phase == Phase::Placed) {
      report = makeReport(*module, options.placement.log);
      watch.lap("report");
    }
  }
  CompileResult result;
  result.model =
      writeModel(*module, {copy, flagsOf(options), std::move(report)});
  watch.lap("packaged");
  return result;
}

} // namespace graphc
