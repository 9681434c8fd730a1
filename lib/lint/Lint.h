// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Advice about programs that are right but probably not meant so. A rule is a
// function and a row of the table in Lint.cpp.
#ifndef GRAPHC_LIB_LINT_LINT_H
#define GRAPHC_LIB_LINT_LINT_H

#include "graphc/Choices.h"
#include "lib/placement/inputs/DeviceSet.h"

#include "mlir/IR/BuiltinOps.h"

namespace graphc {

/// Gathers what rules find. Not thread-safe.
class LintContext {
public:
  LintContext(mlir::ModuleOp module, const DeviceSet &devices)
      : module(module), devices(devices) {}

  mlir::ModuleOp module;
  const DeviceSet &devices; ///< what is compiled for

  /// Warns "[id] what; fix" at `loc`; `id` is that of the running rule.
  void report(mlir::Location loc, const llvm::Twine &what,
              const llvm::Twine &fix);

  llvm::StringRef rule; ///< the running rule's id
  int64_t findings = 0;
};

struct LintRule {
  llvm::StringLiteral id;
  LintStage stage;
  llvm::StringLiteral summary;
  void (*check)(LintContext &context);
};

/// All rules, in the order in which they run.
llvm::ArrayRef<LintRule> lintRules();

/// Runs the rules of a stage; gives the number of findings.
int64_t lint(LintContext &context, LintStage stage);

// The rules: GraphRules.cpp.
void lintUnusedFeeds(LintContext &context);
void lintUnusedVariables(LintContext &context);
void lintUnusedDatasets(LintContext &context);
void lintIdleGraphs(LintContext &context);
void lintLargeConstants(LintContext &context);
void lintLargeFetches(LintContext &context);
void lintEarlyAverages(LintContext &context);

// TowerRules.cpp.
void lintEqualSeeds(LintContext &context);
void lintEqualShards(LintContext &context);
void lintLastTowerLoss(LintContext &context);

// DeviceRules.cpp.
void lintUnusedDevices(LintContext &context);
void lintPingPong(LintContext &context);
void lintUnevenServers(LintContext &context);

} // namespace graphc

#endif
