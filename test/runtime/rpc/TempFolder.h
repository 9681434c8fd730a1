// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A folder that goes with the test.
#ifndef GRAPHC_TEST_RUNTIME_RPC_TEMPFOLDER_H
#define GRAPHC_TEST_RUNTIME_RPC_TEMPFOLDER_H

#include <filesystem>
#include <stdlib.h>
#include <string>

namespace graphc::runtime {

class TempFolder {
public:
  TempFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "graphc-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(folder); }
  std::string operator/(const std::string &name) const {
    return folder + "/" + name;
  }

private:
  std::string folder;
};

} // namespace graphc::runtime

#endif
