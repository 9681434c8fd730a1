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
  MakeReportPass(const PlacementLog *log, std::string *report)
      : log(log), report(report) {}

  void runOnOperation() override {
    std::string text = makeReport(getOperation(), log);
    if (report)
      *report = std::move(text);
    else
      llvm::outs() << text << "\n";
    markAllAnalysesPreserved();
  }

private:
  const PlacementLog *log = nullptr;
  std::string *report = nullptr; ///< null: print it
};

} // namespace

std::unique_ptr<Pass> createMakeReportPass(const PlacementLog *log,
                                           std::string &report) {
  return std::make_unique<MakeReportPass>(log, &report);
}

} // namespace graphc
