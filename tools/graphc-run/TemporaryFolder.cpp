// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/TemporaryFolder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace graphc::run {

using namespace runtime;
namespace fs = std::filesystem;

StatusOr<std::unique_ptr<TemporaryFolder>> TemporaryFolder::make() {
  std::error_code error;
  std::string form =
      (fs::temp_directory_path(error) / "graphc-XXXXXX").string();
  if (error || !mkdtemp(form.data()))
    return internalError("cannot make a folder for temporary files: " +
                         (error ? error.message() : std::strerror(errno)) +
                         "; set TMPDIR to one that is yours");
  return std::unique_ptr<TemporaryFolder>(new TemporaryFolder(form));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  fs::remove_all(path, error);
}

} // namespace graphc::run
