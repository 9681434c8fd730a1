// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes one module of the variants of a plan, the largest first:
//
//   module attributes {exec.member = 3} { program of "train" ... }
//   module attributes {exec.member = 2} { program of "train" ... }
//     -> program of "train#3" ... {exec.member = 3}
//        program of "train#2" ... {exec.member = 2}
//
// Relies on programs, and on plans that differ in nothing but the number of
// workers. Guarantees: one of each variable, dataset and kernel, and of each
// graph that is the same in all plans.
#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"
#include "graphc/Passes.h"
#include "lib/lowering/KernelCode.h"
#include "lib/target/Target.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace graphc::tfir;

namespace graphc {

#define GEN_PASS_DEF_JOINMEMBERSPASS
#include "graphc/Passes.h.inc"

namespace {

/// The programs of one graph.
using Programs = SmallVector<exec::ProgramOp>;

struct Member {
  ModuleOp module;
  int64_t workers = 0;
  llvm::MapVector<StringAttr, Programs> graphs;
};

/// Makes the kernels of all plans those of the first. A kernel that another
/// plan has too is dropped, and one with a name that is taken gets another.
class KernelJoin {
public:
  explicit KernelJoin(ModuleOp kernels) : symbols(kernels) {
    for (auto kernel : kernels.getOps<func::FuncOp>())
      known[kernelCode(kernel)] = kernel.getSymNameAttr();
  }

  /// Takes the kernels of a plan, whose programs then run the joint ones.
  void add(ModuleOp member);

private:
  SymbolTable symbols;
  llvm::StringMap<StringAttr> known; ///< by code
};

void KernelJoin::add(ModuleOp member) {
  auto own = member.lookupSymbol<ModuleOp>(kKernelsModule);
  DenseMap<StringAttr, StringAttr> names;
  for (auto kernel : llvm::make_early_inc_range(own.getOps<func::FuncOp>())) {
    StringAttr name = kernel.getSymNameAttr();
    StringAttr &joined = known[kernelCode(kernel)];
    if (!joined) {
      kernel->remove();
      joined = symbols.insert(kernel); // which renames it where it must
    }
    names[name] = joined;
  }
  member.walk([&](exec::DispatchOp dispatch) {
    StringAttr joined = names.lookup(dispatch.getKernelAttr().getAttr());
    dispatch.setKernelAttr(FlatSymbolRefAttr::get(joined));
  });
  own.erase();
}

struct JoinMembersPass : impl::JoinMembersPassBase<JoinMembersPass> {
  void runOnOperation() override;

private:
  LogicalResult findMembers();
  LogicalResult joinVariables(Member &member);
  LogicalResult joinDatasets();
  LogicalResult joinDataset(DatasetOp dataset);
  bool isSameInAll(StringAttr graph) const;
  LogicalResult joinGraphs();
  void mark(const Member &member, const Programs &programs,
            const llvm::DenseSet<StringAttr> &shared);

  std::vector<Member> members; ///< by the number of workers, the largest first
};

LogicalResult JoinMembersPass::findMembers() {
  for (auto module : getOperation().getOps<ModuleOp>()) {
    IntegerAttr workers =
        exec::ExecDialect::MemberAttrHelper(&getContext()).getAttr(module);
    if (!workers)
      continue;
    Member &member = members.emplace_back();
    member.module = module;
    member.workers = workers.getInt();
    for (auto program : module.getOps<exec::ProgramOp>())
      member.graphs[program.getGraphAttr()].push_back(program);
    for (auto &[name, programs] : member.graphs)
      if (name.getValue().contains(exec::kMemberMark))
        return programs.front().emitOpError()
               << "is of the graph '" << name.getValue() << "', and '"
               << exec::kMemberMark
               << "' stands before the number of workers in a plan for "
                  "several of them; rename the graph";
  }
  return success();
}

std::string quoted(DeviceAttr device) {
  return device ? ("\"" + device.getText() + "\"").str() : "no device";
}

/// Smaller plans have the variables of the largest, or fewer mirrors.
LogicalResult JoinMembersPass::joinVariables(Member &member) {
  SymbolTable all(members.front().module);
  for (auto variable : member.module.getOps<VariableOp>()) {
    Operation *known = all.lookup(variable.getSymName());
    if (!known)
      return variable.emitOpError() << "is no variable of the plan for "
                                    << members.front().workers << " workers";
    auto here = getAssignedDevice(variable);
    auto there = getAssignedDevice(known);
    if (here != there)
      return variable.emitOpError()
             << "is on " << quoted(here) << " in the plan for "
             << member.workers << " workers, and on " << quoted(there)
             << " in that for " << members.front().workers
             << ", but all plans of a model share their variables; name its "
                "'device', or choose a --placement that does not depend on "
                "the number of workers, such as ps-round-robin";
    if (attrsWithoutRequests(variable) != attrsWithoutRequests(known))
      return variable.emitOpError()
             << "is not the same in the plans for " << member.workers
             << " and for " << members.front().workers << " workers";
  }
  return success();
}

LogicalResult JoinMembersPass::joinDataset(DatasetOp dataset) {
  std::optional<int64_t> perWorker = dataset.getBatchOfWorker();
  for (Member &member : members) {
    auto own = member.module.lookupSymbol<DatasetOp>(dataset.getSymName());
    int64_t expected = perWorker ? *perWorker * int64_t(member.workers)
                                 : dataset.getBatch().value_or(1);
    if (!own || int64_t(own.getBatch().value_or(1)) != expected)
      return dataset.emitOpError()
             << "has not the batch " << expected << " in the plan for "
             << member.workers << " workers";
  }
  if (!perWorker)
    return success();
  dataset.removeBatchOfWorkerAttr();
  dataset.setBatch(*perWorker);
  dataset.setPerWorker(true);
  return success();
}

/// Once all batches have been compared, those of the largest plan are for all.
LogicalResult JoinMembersPass::joinDatasets() {
  for (auto dataset : members.front().module.getOps<DatasetOp>())
    if (failed(joinDataset(dataset)))
      return failure();
  return success();
}

/// REQUIRES: equal kernels have equal names.
bool JoinMembersPass::isSameInAll(StringAttr graph) const {
  const Programs &first = members.front().graphs.find(graph)->second;
  return llvm::all_of(members, [&](const Member &member) {
    auto own = member.graphs.find(graph);
    if (own == member.graphs.end() || own->second.size() != first.size())
      return false;
    return llvm::all_of(llvm::zip(own->second, first), [](auto pair) {
      auto [a, b] = pair;
      return OperationEquivalence::isEquivalentTo(
          a, b, OperationEquivalence::IgnoreLocations);
    });
  });
}

/// Says of the programs of a graph for which plan they are.
void JoinMembersPass::mark(const Member &member, const Programs &programs,
                           const llvm::DenseSet<StringAttr> &shared) {
  Builder b(&getContext());
  std::string ending = (exec::kMemberMark + Twine(member.workers)).str();
  auto marked = [&](StringRef name) { return b.getStringAttr(name + ending); };
  for (exec::ProgramOp program : programs) {
    program.setGraphAttr(marked(program.getGraph()));
    program.setSymNameAttr(marked(program.getSymName()));
  }
  exec::ProgramOp first = programs.front();
  first.setMember(member.workers);
  InstanceAttr instance = first.getInstanceAttr();
  StringAttr apply = instance ? instance.getApply() : StringAttr();
  if (apply && !shared.contains(apply))
    first.setInstanceAttr(instance.withApply(marked(apply.getValue())));
}

LogicalResult JoinMembersPass::joinGraphs() {
  llvm::DenseSet<StringAttr> shared;
  for (auto &[graph, programs] : members.front().graphs)
    if (isSameInAll(graph))
      shared.insert(graph);
  if (shared.size() == members.front().graphs.size())
    return getOperation().emitError()
           << "is the same for " << members.back().workers << " and for "
           << members.front().workers
           << " workers: no graph has anything that they could share; write "
              "'?' for the number of examples in feeds and batches of a graph "
              "that minimizes something, or leave --workers out";
  for (const Member &member : members)
    for (auto &[graph, programs] : member.graphs) {
      bool isShared = shared.contains(graph);
      if (isShared && &member != &members.front()) {
        for (exec::ProgramOp program : programs)
          program.erase();
        continue;
      }
      if (!isShared)
        mark(member, programs, shared);
      for (exec::ProgramOp program : programs)
        program->moveBefore(getOperation().getBody(),
                            getOperation().getBody()->end());
    }
  return success();
}

void JoinMembersPass::runOnOperation() {
  if (failed(findMembers()))
    return signalPassFailure();
  if (members.empty())
    return;
  ModuleOp first = members.front().module;
  KernelJoin kernels(first.lookupSymbol<ModuleOp>(kKernelsModule));
  for (Member &member : MutableArrayRef(members).drop_front()) {
    kernels.add(member.module);
    if (failed(joinVariables(member)))
      return signalPassFailure();
  }
  if (failed(joinDatasets()) || failed(joinGraphs()))
    return signalPassFailure();
  // What is left of the largest plan: devices, variables, datasets, kernels.
  Block &all = *getOperation().getBody();
  all.getOperations().splice(all.begin(), first.getBody()->getOperations());
  // They are lowered alike.
  TfirDialect::CpuTargetAttrHelper cpuTarget(&getContext());
  if (StringAttr target = cpuTarget.getAttr(first))
    cpuTarget.setAttr(getOperation(), target);
  for (Member &member : members)
    member.module.erase();
}

} // namespace
} // namespace graphc
