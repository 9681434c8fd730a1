// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the model's verification that looks into graphs.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_GRAPHVERIFIER_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_GRAPHVERIFIER_H

#include "runtime/base/Status.h"
#include "runtime/format/ExecutableFormat.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/model_generated.h"
#include "runtime/format/verify/BlobVerifier.h"

namespace graphc::runtime {

/// An executable that its format has accepted.
struct VerifiedExecutable {
  const ExecutableFormat *format = nullptr;
  ExecutableCode code;
};

/// Verifies the graphs of a model.
struct GraphVerifier {
  const format::Model &model; ///< variables, datasets and kernels are checked
  BlobVerifier &blobs;
  std::span<const VerifiedExecutable> executables;
  uint64_t budget; ///< numbers of lists that may still be walked
  /// Of a part: the task whose programs are here; empty: all are.
  std::string_view partTask = {};

  /// Fails when any index, size or name of the graph is wrong, or its programs
  /// do not fit together.
  Status check(const format::Graph &graph);
};

} // namespace graphc::runtime

#endif
