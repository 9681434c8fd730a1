// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/task/plans/SnapshotStore.h"

#include "runtime/base/host/AvailableMemory.h"
#include "runtime/data/File.h"
#include "runtime/format/Quote.h"
#include "runtime/state/SnapshotCopy.h"

#include <algorithm>
#include <cstring>

namespace graphc::runtime {

namespace {
/// Each has a copy of the variables.
constexpr size_t kMaxSnapshots = 8;

bool haveSameTypes(const ShardTensors &a, const ShardTensors &b) {
  return std::ranges::equal(
      a, b, [](const NamedTensor &x, const NamedTensor &y) {
        return x.name == y.name && x.tensor.type == y.tensor.type;
      });
}
} // namespace

Status SnapshotStore::checkOwner(RunKey id, ClientId client) const {
  auto found = snapshots.find(id);
  if (found != snapshots.end() && found->second.owner != client)
    return permissionDenied("the snapshot is another client's");
  return Status::ok();
}

Status SnapshotStore::arm(RunKey id, ClientId owner, PlanState &plan,
                          const Tensors &shard) {
  if (!snapshots.contains(id) && snapshots.size() >= kMaxSnapshots)
    return resourceExhausted("this task has " +
                             std::to_string(snapshots.size()) +
                             " snapshots; wait until other clients have "
                             "saved their variables");
  Snapshot snapshot{owner, &plan, false, {}, {}, {}, {}};
  if (!shard.empty()) {
    GRAPHC_ASSIGN_OR_RETURN(snapshot.shard, makeShard(plan, shard));
    for (const auto &tensor : shard)
      snapshot.parts.emplace_back(tensor.parts().begin(), tensor.parts().end());
  }
  drop(id);
  snapshots[id] = std::move(snapshot);
  return Status::ok();
}

/// Memory for the copy: that of the one before, or some that is there now.
/// With too little of it the kernel would end the process once it is
/// written to.
StatusOr<std::shared_ptr<ShardTensors>>
SnapshotStore::makeShard(PlanState &plan, const Tensors &tensors) const {
  auto made = std::make_shared<ShardTensors>();
  uint64_t bytes = 0;
  for (const auto &tensor : tensors) {
    if (tensor.parts().empty())
      return invalidArgument("tensor " + quote(tensor.name()) +
                             " of a shard has no parts");
    TensorType type;
    for (const std::string &part : tensor.parts()) {
      GRAPHC_ASSIGN_OR_RETURN(TensorType of, plan.variableType(part));
      if (&part == &tensor.parts(0)) {
        type = std::move(of);
        continue;
      }
      bool fits = of.dtype == type.dtype && !of.shape.empty() &&
                  of.shape.size() == type.shape.size() &&
                  std::equal(of.shape.begin() + 1, of.shape.end(),
                             type.shape.begin() + 1);
      if (!fits)
        return invalidArgument("variable " + quote(part) + " is " +
                               of.toString() + ", which does not follow " +
                               type.toString() + " in tensor " +
                               quote(tensor.name()));
      type.shape[0] += of.shape[0];
    }
    bytes += type.numBytes();
    made->push_back({tensor.name(), {std::move(type), {}}});
  }
  auto spare = spares.find(plan.digest());
  if (spare != spares.end() && spare->second.use_count() == 1 &&
      haveSameTypes(*spare->second, *made))
    return spare->second;
  if (std::optional<uint64_t> there = availableMemory();
      there && bytes > *there)
    return resourceExhausted("a copy of the variables needs " +
                             std::to_string(bytes) + " bytes, and " +
                             std::to_string(*there) + " are free");
  for (NamedTensor &named : *made)
    GRAPHC_TRY(resizeBytes(named.tensor.bytes, named.tensor.type.numBytes(),
                           "the copy of " + named.name));
  return made;
}

Status SnapshotStore::copyShard(Snapshot &snapshot) {
  SnapshotCopy copy([] {});
  std::vector<std::byte> fromDevice;
  for (size_t i = 0; i < snapshot.parts.size(); ++i) {
    std::span<std::byte> to = (*snapshot.shard)[i].tensor.bytes;
    for (const std::string &part : snapshot.parts[i]) {
      fromDevice.clear();
      GRAPHC_ASSIGN_OR_RETURN(std::span<const std::byte> from,
                              snapshot.plan->readVariable(part, fromDevice));
      if (!fromDevice.empty())
        std::memcpy(to.data(), from.data(), from.size());
      else
        copy.add(from, to.first(from.size()));
      to = to.subspan(from.size());
    }
  }
  copy.finish(threads);
  return Status::ok();
}

StatusOr<std::shared_ptr<const ShardTensors>>
SnapshotStore::shard(RunKey id) const {
  auto found = snapshots.find(id);
  if (found == snapshots.end() || !found->second.shard)
    return notFound("this task has no such snapshot for a shard");
  GRAPHC_TRY(found->second.failure);
  return std::shared_ptr<const ShardTensors>(
      found->second.isTaken ? found->second.shard : nullptr);
}

void SnapshotStore::drop(RunKey id) {
  auto found = snapshots.find(id);
  if (found == snapshots.end())
    return;
  keepSpare(found->second);
  snapshots.erase(found);
}

/// One per plan, as long as the plan is there.
void SnapshotStore::keepSpare(Snapshot &snapshot) {
  if (snapshot.shard)
    spares[snapshot.plan->digest()] = std::move(snapshot.shard);
}

void SnapshotStore::take(PlanState &plan, RunKey id) {
  auto found = snapshots.find(id);
  if (found == snapshots.end() || found->second.plan != &plan ||
      found->second.isTaken)
    return;
  Snapshot &snapshot = found->second;
  snapshot.isTaken = true;
  if (snapshot.shard) {
    snapshot.failure = copyShard(snapshot);
    return;
  }
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
  if (found == snapshots.end() || found->second.owner != key.client ||
      found->second.shard)
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
  spares.erase(plan.digest());
  std::erase_if(snapshots,
                [&](const auto &entry) { return entry.second.plan == &plan; });
}

void SnapshotStore::dropClient(ClientId client) {
  for (auto it = snapshots.begin(); it != snapshots.end();) {
    if (it->second.owner != client) {
      ++it;
      continue;
    }
    keepSpare(it->second);
    it = snapshots.erase(it);
  }
  waiting.dropClient(client);
}

void SnapshotStore::expire(int64_t now) {
  for (const Read &each : waiting.takeExpired(now))
    requests.fail(each.key, Status(StatusCode::DeadlineExceeded,
                                   "the updates before the snapshot have not "
                                   "been made in time"));
}

} // namespace graphc::runtime
