// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the verifiers as passes, so that the list of passes has them. They
// change nothing, which saves MLIR's own verifier a walk.
#include "graphc/Passes.h"
#include "graphc/Pipeline.h"

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
    if (failed(verifyPhase(getOperation(), *which)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace graphc
