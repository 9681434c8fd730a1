// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a user can ask of the compiler.
#ifndef GRAPHC_INCLUDE_GRAPHC_OPTIONS_H
#define GRAPHC_INCLUDE_GRAPHC_OPTIONS_H

#include "graphc/Pipeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace graphc {

struct CompileOptions {
  /// `?` dimensions by name of a feed ("x=100,784") or of a dataset
  /// ("train=100").
  std::vector<std::string> bind;
  /// The first `?` of every feed, and the batch of every dataset without one.
  std::optional<int64_t> batch;
  /// Devices to compile for.
  std::vector<std::string> devices = {"cpu:0"};
  /// Stop behind this phase and give its text instead of a model.
  std::optional<Phase> stopAfter;
  /// The input is what this phase gives; the phases up to it are left out.
  std::optional<Phase> startAt;
  /// Folder for the text of every phase; empty: none.
  std::string dumpPhases;
  /// Print the seconds that each phase took to stderr.
  bool timing = false;
};

} // namespace graphc

#endif
