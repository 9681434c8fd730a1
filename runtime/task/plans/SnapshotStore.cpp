// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/plans/SnapshotStore.h"

#include "runtime/format/Quote.h"

namespace graphc::runtime {

namespace {
/// Each has a copy of the variables.
constexpr size_t kMaxSnapshots = 8;
} // namespace

Status SnapshotStore::checkOwner(RunKey id, ClientId client) const {
  auto found = snapshots.find(id);
  if (found != snapshots.end() && found->second.owner != client)
    return permissionDenied("the snapshot is another client's");
  return Status::ok();
}

Status SnapshotStore::arm(RunKey id, ClientId owner, PlanState &plan) {
  if (!snapshots.contains(id) && snapshots.size() >= kMaxSnapshots)
    return resourceExhausted("this task has " +
                             std::to_string(snapshots.size()) +
                             " snapshots; wait until other clients have "
                             "saved their variables");
  snapshots[id] = {owner, &plan, false, {}};
  return Status::ok();
}

void SnapshotStore::take(PlanState &plan, RunKey id) {
  auto found = snapshots.find(id);
  if (found == snapshots.end() || found->second.plan != &plan ||
      found->second.isTaken)
    return;
  Snapshot &snapshot = found->second;
  snapshot.isTaken = true;
  for (const std::string &name : plan.variableNames()) {
    std::vector<std::byte> copy;
    StatusOr<std::span<const std::byte>> bytes = plan.readVariable(name, copy);
    if (bytes.isOk()) // else: reading it fails
      snapshot.values[name].assign(bytes->begin(), bytes->end());
  }
  for (const Read &each : waiting.take([&](const Read &read) {
         return keyOf(read.request.snapshot()) == id;
       }))
    if (Status status = read(each.key, each.request, each.deadline);
        !status.isOk())
      requests.fail(each.key, status);
}

Status SnapshotStore::read(const RequestKey &key,
                           const protocol::Request::Read &request,
                           int64_t deadline) {
  auto found = snapshots.find(keyOf(request.snapshot()));
  if (found == snapshots.end() || found->second.owner != key.client)
    return notFound("this task has no such snapshot; take another");
  Snapshot &snapshot = found->second;
  if (!snapshot.isTaken) {
    requests.open(key);
    waiting.add({key, request, deadline});
    return Status::ok();
  }
  auto value = snapshot.values.find(request.variable());
  if (value == snapshot.values.end())
    return notFound("the snapshot has no value of " +
                    quote(request.variable()) + "; each is read once");
  GRAPHC_ASSIGN_OR_RETURN(TensorType type,
                          snapshot.plan->variableType(request.variable()));
  variables.send(key, request, type, std::move(value->second));
  snapshot.values.erase(value);
  return Status::ok();
}

void SnapshotStore::dropPlan(const PlanState &plan) {
  std::erase_if(snapshots,
                [&](const auto &entry) { return entry.second.plan == &plan; });
}

void SnapshotStore::dropClient(ClientId client) {
  std::erase_if(snapshots, [&](const auto &entry) {
    return entry.second.owner == client;
  });
  waiting.dropClient(client);
}

void SnapshotStore::expire(int64_t now) {
  for (const Read &each : waiting.takeExpired(now))
    requests.fail(each.key, Status(StatusCode::DeadlineExceeded,
                                   "the updates before the snapshot have not "
                                   "been made in time"));
}

} // namespace graphc::runtime
