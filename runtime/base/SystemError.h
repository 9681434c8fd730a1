// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a failed call of the system into an error that names file and cure.
#ifndef GRAPHC_RUNTIME_BASE_SYSTEMERROR_H
#define GRAPHC_RUNTIME_BASE_SYSTEMERROR_H

#include "runtime/base/Status.h"

#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace graphc::runtime {

/// "cannot read 'x': no such file; check the path". `error`: of errno.
inline Status systemError(std::string_view what, const std::string &path,
                          int error) {
  std::string text = std::string(what) + " '" + path +
                     "': " + std::generic_category().message(error);
  switch (error) {
  case ENOENT:
  case ENOTDIR:
    return notFound(text + "; check the path");
  case EACCES:
  case EPERM:
  case EROFS:
    return permissionDenied(text + "; check the permissions");
  case ENOSPC:
  case EDQUOT:
    return resourceExhausted(text + "; free space or choose another disk");
  case EISDIR:
    return invalidArgument(text + "; name a file");
  default:
    return Status(StatusCode::Unknown, text);
  }
}

} // namespace graphc::runtime

#endif
