// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/pipeline/CompileVariants.h"

#include "dialects/exec/Exec.h"
#include "graphc/Pipeline.h"
#include "lib/replication/WorkerRange.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace graphc {

namespace {

/// Prints a warning that several variants give once. Errors name the plan that
/// cannot be made.
class MemberDiagnostics {
public:
  MemberDiagnostics(MLIRContext *context)
      : handler(context,
                [this](Diagnostic &diagnostic) { return handle(diagnostic); }) {
  }

  void begin(int64_t workers) { member = workers; }

private:
  LogicalResult handle(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
      diagnostic.attachNote() << "in the plan for " << member << " workers";
      return failure(); // the next handler prints it
    }
    std::string text;
    llvm::raw_string_ostream(text)
        << diagnostic.getLocation() << ": " << diagnostic.str();
    return success(!printed.insert(text).second);
  }

  int64_t member = 0;
  llvm::StringSet<> printed;
  ScopedDiagnosticHandler handler;
};

FailureOr<CompileOptions>
optionsOf(ModuleOp source, const CompileOptions &options, int64_t workers) {
  runtime::StatusOr<CompileOptions> own = optionsForWorkers(options, workers);
  if (!own.isOk())
    return source.emitError() << own.status().message();
  if (!own->dumpPhases.empty()) {
    SmallString<128> path(own->dumpPhases);
    llvm::sys::path::append(path, "workers-" + Twine(workers));
    own->dumpPhases = path.str();
  }
  return *own;
}

} // namespace

FailureOr<OwningOpRef<ModuleOp>> compileVariants(ModuleOp source,
                                                 const CompileOptions &options,
                                                 ScheduleModule schedule) {
  OwningOpRef<ModuleOp> joined = ModuleOp::create(source.getLoc());
  (*joined)->setAttrs(source->getAttrDictionary());
  Builder b(source.getContext());
  const WorkerRange &range = *options.replication.workers;
  {
    MemberDiagnostics diagnostics(source.getContext());
    for (int64_t workers = range.last; workers >= range.first; --workers) {
      diagnostics.begin(workers);
      FailureOr<CompileOptions> own = optionsOf(source, options, workers);
      if (failed(own))
        return failure();
      OwningOpRef<ModuleOp> member = source.clone();
      if (failed(schedule(*member, *own, workers == range.last)))
        return failure();
      exec::ExecDialect::MemberAttrHelper(b.getContext())
          .setAttr(*member, b.getI64IntegerAttr(workers));
      joined->push_back(member.release());
    }
  }
  PassManager pm(source.getContext());
  buildVariants(pm);
  if (failed(pm.run(*joined)))
    return failure();
  return joined;
}

std::string reportOfVariants(StringRef report, ModuleOp joined,
                             int64_t workers) {
  llvm::StringSet<> names;
  for (auto program : joined.getOps<exec::ProgramOp>())
    names.insert(program.getGraph());
  llvm::json::Value root = llvm::cantFail(llvm::json::parse(report));
  for (llvm::json::Value &graph : *root.getAsObject()->getArray("graphs")) {
    llvm::json::Value &name = graph.getAsObject()->find("name")->second;
    std::string marked =
        (*name.getAsString() + exec::kMemberMark + Twine(workers)).str();
    if (names.contains(marked))
      name = marked;
  }
  std::string text;
  llvm::raw_string_ostream(text) << root;
  return text;
}

} // namespace graphc
