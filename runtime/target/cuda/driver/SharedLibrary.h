// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that is loaded when it is needed, and never linked.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_SHAREDLIBRARY_H
#define GRAPHC_RUNTIME_TARGET_CUDA_DRIVER_SHAREDLIBRARY_H

#include "runtime/base/Status.h"

#include <vector>

namespace graphc::runtime {

/// Stays loaded until the process ends. Thread-safety: as a value type.
class SharedLibrary {
public:
  /// The library that the environment variable `variable` names, or else the
  /// first of `names` that there is. UNAVAILABLE that lists what was tried;
  /// `what` is for people.
  static StatusOr<SharedLibrary> open(std::string what, const char *variable,
                                      const std::vector<const char *> &names);

  /// Sets `function` to the function called `name`.
  template <typename Function>
  Status find(const char *name, Function &function) const {
    GRAPHC_ASSIGN_OR_RETURN(void *address, find(name));
    function = reinterpret_cast<Function>(address);
    return Status::ok();
  }

private:
  StatusOr<void *> find(const char *name) const;

  void *handle = nullptr;
  std::string what, path;
};

} // namespace graphc::runtime

#endif
