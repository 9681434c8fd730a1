// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/client/BoundDataCheck.h"

#include "runtime/format/Quote.h"

namespace graphc::runtime {

Status BoundDataCheck::add(TaskId task,
                           const protocol::Reply::Prepared &prepared) {
  for (const protocol::Reply::BoundData &data : prepared.data()) {
    auto [known, isFirst] =
        seen.try_emplace(data.dataset(), Seen{task, data.digest()});
    const Seen &first = known->second;
    if (!isFirst && first.digest != data.digest())
      return failedPrecondition(
          "dataset " + quote(data.dataset()) + " has other data at " +
          cluster.task(task).name() + " than at " +
          cluster.task(first.task).name() +
          "; bind the same files with the same seed at all tasks (--data " +
          data.dataset() + "=FILE[,FILE...])");
  }
  return Status::ok();
}

} // namespace graphc::runtime
