// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/target/cpu/SplitModule.h"

#include "lib/target/cpu/OutlinePhilox.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace graphc {
namespace {

/// Operations that are worth a part of their own: LLVM takes some 0.2 s for
/// them, and a part costs some milliseconds.
constexpr size_t kOpsPerPart = 2000;
constexpr size_t kMostParts = 32;

/// A kernel with all that it needs.
struct Unit {
  llvm::SetVector<Operation *> symbols;
  size_t ops = 0;
};

/// Uses of symbols in a module, each looked up once.
class Uses {
public:
  explicit Uses(ModuleOp module) : table(module) {}

  Unit unitOf(Operation *kernel) {
    Unit unit;
    unit.symbols.insert(kernel);
    for (size_t i = 0; i < unit.symbols.size(); ++i) {
      if (isOutlined(unit.symbols[i]))
        continue;
      const Known &known = of(unit.symbols[i]);
      unit.ops += known.ops;
      unit.symbols.insert(known.used.begin(), known.used.end());
    }
    return unit;
  }

private:
  struct Known {
    std::vector<Operation *> used;
    size_t ops = 0;
  };

  const Known &of(Operation *symbol) {
    auto [place, isNew] = all.try_emplace(symbol);
    if (isNew) {
      symbol->walk([&](Operation *) { ++place->second.ops; });
      if (auto uses = SymbolTable::getSymbolUses(symbol))
        for (const SymbolTable::SymbolUse &use : *uses)
          if (Operation *used =
                  table.lookup(use.getSymbolRef().getRootReference()))
            place->second.used.push_back(used);
    }
    return place->second;
  }

  SymbolTable table;
  std::map<Operation *, Known> all;
};

/// An empty module with the attributes of another.
OwningOpRef<ModuleOp> emptyLike(ModuleOp module) {
  auto copy = cast<ModuleOp>(module->cloneWithoutRegions());
  copy->getRegion(0).emplaceBlock();
  return copy;
}

/// A module like another with some symbols of it.
OwningOpRef<ModuleOp> copySymbols(ModuleOp module,
                                  function_ref<bool(Operation *)> isWanted) {
  OwningOpRef<ModuleOp> copy = emptyLike(module);
  for (Operation &symbol : *module.getBody())
    if (isWanted(&symbol))
      copy->push_back(symbol.clone());
  return copy;
}

/// True for functions that others call by their names.
bool isEntry(LLVM::LLVMFuncOp function) {
  return !function.isExternal() &&
         function.getLinkage() != LLVM::Linkage::Internal;
}

/// A copy of what several kernels need; of a function that they share only that
/// it is there.
Operation *copyShared(Operation *symbol) {
  auto function = dyn_cast<LLVM::LLVMFuncOp>(symbol);
  if (!function || !isEntry(function))
    return symbol->clone();
  Operation *copy = symbol->cloneWithoutRegions();
  cast<LLVM::LLVMFuncOp>(copy).setLinkage(LLVM::Linkage::External);
  return copy;
}

} // namespace

SmallVector<OwningOpRef<ModuleOp>> splitKernels(ModuleOp module) {
  Uses uses(module);
  std::vector<Unit> units;
  size_t ops = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (isOutlined(function))
      continue;
    units.push_back(uses.unitOf(function));
    ops += units.back().ops;
  }
  SmallVector<OwningOpRef<ModuleOp>> parts;
  if (units.empty())
    return parts;
  size_t count = std::min({ops / kOpsPerPart, kMostParts, units.size()});
  if (count < 2) {
    parts.push_back(module.clone());
    return parts;
  }
  // The largest first, each to the part that has the least.
  std::stable_sort(units.begin(), units.end(),
                   [](const Unit &a, const Unit &b) { return a.ops > b.ops; });
  std::vector<llvm::SetVector<Operation *>> symbols(count);
  std::vector<size_t> sizes(count);
  for (const Unit &unit : units) {
    size_t least = std::min_element(sizes.begin(), sizes.end()) - sizes.begin();
    sizes[least] += unit.ops;
    symbols[least].insert(unit.symbols.begin(), unit.symbols.end());
  }
  // Functions that several parts call are a part of their own; the others
  // declare them.
  if (llvm::any_of(*module.getBody(),
                   [](Operation &symbol) { return isOutlined(&symbol); }))
    parts.push_back(copySymbols(module, isOutlined));
  for (const llvm::SetVector<Operation *> &part : symbols) {
    parts.push_back(copySymbols(
        module, [&](Operation *symbol) { return part.contains(symbol); }));
    for (auto function : parts.back()->getOps<func::FuncOp>())
      if (isOutlined(function))
        function.eraseBody();
  }
  return parts;
}

SmallVector<OwningOpRef<ModuleOp>> splitEntries(OwningOpRef<ModuleOp> module) {
  std::vector<Unit> units;
  llvm::DenseMap<Operation *, size_t> owners;
  Uses uses(*module);
  for (auto function : module->getOps<LLVM::LLVMFuncOp>())
    if (isEntry(function)) {
      units.push_back(uses.unitOf(function));
      for (Operation *symbol : units.back().symbols)
        ++owners[symbol];
    }
  SmallVector<OwningOpRef<ModuleOp>> modules;
  if (units.empty())
    modules.push_back(std::move(module));
  for (const Unit &unit : units) {
    modules.push_back(emptyLike(*module));
    for (Operation *symbol : unit.symbols) {
      if (owners[symbol] == 1)
        symbol->remove();
      else
        symbol = symbol == unit.symbols.front() ? symbol->clone()
                                                : copyShared(symbol);
      modules.back()->push_back(symbol);
    }
  }
  return modules;
}

} // namespace graphc
