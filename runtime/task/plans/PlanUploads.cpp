// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/plans/PlanUploads.h"

#include "runtime/format/Quote.h"
#include "runtime/protocol/PlanManifest.h"

#include <algorithm>

namespace graphc::runtime {

Status PlanUploads::begin(const RequestKey &key,
                          const protocol::Request::Load &load) {
  if (options.allowedPlans) {
    std::string digest = allowDigest(load.part_list());
    if (std::ranges::find(*options.allowedPlans, digest) ==
        options.allowedPlans->end())
      return permissionDenied(
          "plan " + quote(load.plan().substr(0, 64)) + " is not allowed at " +
          self + "; start it with --allow=" + digest + " or --allow=model.bin");
  }
  uploads.emplace(key, Upload{load.plan(), load.part_list(), {}});
  return Status::ok();
}

StatusOr<std::optional<std::vector<std::byte>>>
PlanUploads::add(const RequestKey &key, const protocol::Request::Load &load) {
  auto found = uploads.find(key);
  Upload &upload = found->second;
  size_t before = upload.buffer.size();
  Status status = load.plan() == upload.plan
                      ? upload.buffer.add(load.part(), options.mostPartBytes -
                                                           bytesHeld + before)
                      : invalidArgument("the chunks are of different plans");
  bytesHeld += upload.buffer.size() - before;
  if (status.isOk() && !upload.buffer.isComplete())
    return std::optional<std::vector<std::byte>>();
  bytesHeld -= upload.buffer.size();
  std::vector<std::byte> bytes = upload.buffer.take();
  std::string manifest = std::move(upload.manifest);
  uploads.erase(found);
  GRAPHC_TRY(status);
  if (options.allowedPlans && !isListed(manifest, self, bytes))
    return permissionDenied(
        "the slice that came is not the one that the allowed plan has for " +
        self + "; use the same version of graphc on both sides");
  return std::optional(std::move(bytes));
}

void PlanUploads::dropClient(ClientId client) {
  std::erase_if(uploads, [&](const auto &entry) {
    if (entry.first.client != client)
      return false;
    bytesHeld -= entry.second.buffer.size();
    return true;
  });
}

} // namespace graphc::runtime
