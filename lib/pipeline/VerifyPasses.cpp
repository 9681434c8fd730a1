// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the verifiers as passes, so that the list of passes has them. At the end
// of a phase that is MLIR's, too, which graphc does not run after each pass:
// that would take a quarter of the time of all phases.
#include "graphc/Passes.h"
#include "graphc/Pipeline.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_VERIFYPHASEPASS
#define GEN_PASS_DEF_VERIFYSOURCEPASS
#include "graphc/Passes.h.inc"

namespace {

struct VerifySourcePass : impl::VerifySourcePassBase<VerifySourcePass> {
  void runOnOperation() override {
    if (failed(verifySource(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

struct VerifyPhasePass : impl::VerifyPhasePassBase<VerifyPhasePass> {
  using Base::Base;

  void runOnOperation() override {
    std::optional<Phase> which = phase;
    if (!which) {
      getOperation().emitError("'' is no phase; phases are ") << phaseNames();
      return signalPassFailure();
    }
    if (failed(verify(getOperation())) ||
        failed(verifyPhase(getOperation(), *which)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace graphc
