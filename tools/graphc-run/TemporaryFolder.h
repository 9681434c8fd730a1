// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder for files that are of use while a command runs.
#ifndef GRAPHC_TOOLS_GRAPHC_RUN_TEMPORARYFOLDER_H
#define GRAPHC_TOOLS_GRAPHC_RUN_TEMPORARYFOLDER_H

#include "runtime/base/Status.h"

#include <memory>
#include <string>

namespace graphc::run {

/// Removed, with what it holds, when this ends. Thread-safety: none is needed.
class TemporaryFolder {
public:
  /// In TMPDIR, or /tmp. INTERNAL says why it cannot be made.
  static runtime::StatusOr<std::unique_ptr<TemporaryFolder>> make();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// The path of a file in it.
  std::string file(const std::string &name) const { return path + "/" + name; }

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}

  std::string path;
};

} // namespace graphc::run

#endif
