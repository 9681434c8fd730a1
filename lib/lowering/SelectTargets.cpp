// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records the target of CPUs in the module, so that all later passes, also
// those over a text of phase 'lowered' or later, take the same one.
#include "graphc/Passes.h"
#include "lib/target/Target.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_SELECTTARGETSPASS
#include "graphc/Passes.h.inc"

namespace {

struct SelectTargetsPass : impl::SelectTargetsPassBase<SelectTargetsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::vector<std::string> names = hostTargetNames();
    if (!llvm::is_contained(names, cpuTarget)) {
      module.emitError("'")
          << cpuTarget.getValue() << "' is no target of CPUs; name one of "
          << llvm::join(names, ", ");
      return signalPassFailure();
    }
    tfir::TfirDialect::CpuTargetAttrHelper attribute(&getContext());
    if (names.front() != cpuTarget.getValue())
      attribute.setAttr(module, StringAttr::get(&getContext(), cpuTarget));
    else if (attribute.isAttrPresent(module))
      attribute.removeAttr(module);
  }
};

} // namespace
} // namespace graphc
