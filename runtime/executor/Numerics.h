// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds NaN and infinities.
#ifndef GRAPHC_RUNTIME_EXECUTOR_NUMERICS_H
#define GRAPHC_RUNTIME_EXECUTOR_NUMERICS_H

#include "runtime/base/DType.h"

#include <cstddef>
#include <functional>
#include <span>

namespace graphc::runtime {

/// Policy for a NaN or an infinity in a fetched float scalar.
enum class NanPolicy { Ignore, Warn, Error };

/// Checks of an executor for NaN and infinities.
struct NumericsOptions {
  NanPolicy policy = NanPolicy::Error;
  /// Look at everything that every kernel writes, in every step. Slow.
  bool checkAll = false;
  /// Receives the warnings of NanPolicy::Warn.
  std::function<void(const std::string &)> warn;
};

enum class NonFinite { None, Nan, Inf };

/// "NaN" or "Inf".
const char *nonFiniteName(NonFinite kind);

/// The first value among `bytes` that is not finite; None for types that are
/// not floats.
NonFinite findNonFinite(DType dtype, std::span<const std::byte> bytes);

} // namespace graphc::runtime

#endif
