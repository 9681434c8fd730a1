// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds kernels with the same code and keeps the first of each:
//
//   dispatch @train_Conv2D, dispatch @eval_Conv2D
//     -> dispatch @train_Conv2D, dispatch @train_Conv2D
#include "dialects/exec/Exec.h"
#include "graphc/Passes.h"
#include "lib/lowering/KernelCode.h"
#include "lib/target/common/KernelAttrs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_MERGEKERNELSPASS
#include "graphc/Passes.h.inc"

namespace {

struct MergeKernelsPass : impl::MergeKernelsPassBase<MergeKernelsPass> {
  void runOnOperation() override {
    auto kernels = getOperation().lookupSymbol<ModuleOp>(kKernelsModule);
    if (!kernels)
      return;
    llvm::StringMap<StringAttr> firstWith;
    DenseMap<StringAttr, StringAttr> replacement;
    for (auto kernel :
         llvm::make_early_inc_range(kernels.getOps<func::FuncOp>())) {
      auto [it, isNew] =
          firstWith.try_emplace(kernelCode(kernel), kernel.getSymNameAttr());
      if (isNew)
        continue;
      replacement[kernel.getSymNameAttr()] = it->second;
      kernel.erase();
    }
    getOperation().walk([&](exec::DispatchOp dispatch) {
      if (StringAttr name =
              replacement.lookup(dispatch.getKernelAttr().getAttr()))
        dispatch.setKernelAttr(FlatSymbolRefAttr::get(name));
    });
  }
};

} // namespace
} // namespace graphc
