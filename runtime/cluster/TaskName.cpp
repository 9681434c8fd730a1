// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The name of a task as people and messages give it.
#include "runtime/cluster/ClusterSpec.h"

namespace graphc::runtime {

std::string ClusterTask::name() const {
  return "/job:" + job + "/task:" + std::to_string(index);
}

} // namespace graphc::runtime
