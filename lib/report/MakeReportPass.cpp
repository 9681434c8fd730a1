// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs makeReport() as a pass: gives the report to the compiler, or prints it.
#include "graphc/Passes.h"

#include "lib/report/MakeReport.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace graphc {

#define GEN_PASS_DEF_MAKEREPORTPASS
#include "graphc/Passes.h.inc"

namespace {

struct MakeReportPass : impl::MakeReportPassBase<MakeReportPass> {
  using Base::Base;
  MakeReportPass(GivePlacement placement, TakeReport take)
      : placement(std::move(placement)), take(std::move(take)) {}

  void runOnOperation() override {
    std::shared_ptr<const PlacementLog> log = placement ? placement() : nullptr;
    std::string text = makeReport(getOperation(), log.get());
    if (take)
      take(std::move(text));
    else
      llvm::outs() << text << "\n";
    markAllAnalysesPreserved();
  }

private:
  GivePlacement placement;
  TakeReport take; ///< null: print it
};

} // namespace

std::unique_ptr<Pass> createMakeReportPass(GivePlacement placement,
                                           TakeReport take) {
  return std::make_unique<MakeReportPass>(std::move(placement),
                                          std::move(take));
}

} // namespace graphc
