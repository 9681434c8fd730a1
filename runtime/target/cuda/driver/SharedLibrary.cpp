// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/driver/SharedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

namespace graphc::runtime {

StatusOr<SharedLibrary>
SharedLibrary::open(std::string what, const char *variable,
                    const std::vector<const char *> &names) {
  const char *named = std::getenv(variable);
  std::vector<const char *> candidates =
      named ? std::vector<const char *>{named} : names;
  SharedLibrary library;
  library.what = std::move(what);
  std::string reason;
  for (const char *name : candidates) {
    library.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library.handle) {
      library.path = name;
      return library;
    }
    reason = dlerror(); // names the file
  }
  return unavailable(
      library.what + " cannot be loaded: " + reason + "; " +
      (named ? std::string(variable) + " names it"
             : "install it, or name it with " + std::string(variable)));
}

StatusOr<void *> SharedLibrary::find(const char *name) const {
  if (void *address = dlsym(handle, name))
    return address;
  return failedPrecondition(what + " '" + path + "' has no function " + name +
                            "; install a newer one");
}

} // namespace graphc::runtime
