// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/library/NcclGroup.h"

#include <chrono>
#include <utility>

namespace graphc::runtime {

namespace {

void *asPointer(cuda::Pointer address) {
  return reinterpret_cast<void *>(address);
}

} // namespace

StatusOr<std::unique_ptr<NcclGroup>>
NcclGroup::create(std::vector<const CudaDevice *> devices) {
  GRAPHC_ASSIGN_OR_RETURN(const Nccl *library, Nccl::load());
  std::unique_ptr<NcclGroup> made(new NcclGroup(*library));
  for (const CudaDevice *device : devices) {
    made->members.push_back({device, nullptr, nullptr});
    GRAPHC_ASSIGN_OR_RETURN(made->members.back().stream,
                            CudaStream::create(*device));
  }
  GRAPHC_TRY(made->start());
  return made;
}

Status NcclGroup::start() {
  std::vector<int> numbers;
  std::vector<nccl::Comm> comms(members.size());
  for (const Member &member : members)
    numbers.push_back(member.device->facts().number);
  GRAPHC_TRY(library.check(library.commInitAll(comms.data(),
                                               static_cast<int>(comms.size()),
                                               numbers.data()),
                           "the start of all-reduce between " +
                               std::to_string(members.size()) + " GPUs"));
  for (size_t i = 0; i < members.size(); ++i)
    members[i].comm = comms[i];
  watcher = std::thread([this] { watch(); });
  return Status::ok();
}

NcclGroup::~NcclGroup() {
  {
    MutexLock lock(mutex);
    isClosing = true;
  }
  closes.notify_one();
  if (watcher.joinable())
    watcher.join();
  for (Member &member : members) {
    if (!member.comm || !member.device->makeCurrent().isOk())
      continue;
    member.device->api().streamSynchronize(member.stream->handle());
    library.commDestroy(member.comm);
  }
}

/// Sums that lack a term would never end by themselves.
void NcclGroup::giveUp() {
  hasFailed = true;
  for (Member &member : members)
    if (nccl::Comm comm = std::exchange(member.comm, nullptr))
      library.commAbort(comm);
}

Status NcclGroup::sum(std::span<const NcclTerm> terms, size_t count) {
  MutexLock lock(mutex);
  if (hasFailed)
    return failedPrecondition("an earlier all-reduce failed in NCCL; start "
                              "again from a checkpoint");
  Status status = trySum(terms, count);
  if (!status.isOk())
    giveUp();
  return status;
}

Status NcclGroup::trySum(std::span<const NcclTerm> terms, size_t count) const {
  GRAPHC_TRY(checkHealth());
  GRAPHC_TRY(await(terms));
  GRAPHC_TRY(submit(terms, count));
  return record(terms);
}

bool NcclGroup::look() {
  MutexLock lock(mutex);
  bool isWell = !hasFailed && checkHealth().isOk();
  // After a fault, every call for its GPU fails; this one waits for nothing.
  for (const Member &member : members)
    isWell = isWell && member.device->freeBytes().isOk();
  if (!isWell && !hasFailed)
    giveUp();
  return isWell;
}

void NcclGroup::watch() {
  constexpr std::chrono::seconds kPeriod(1);
  MutexLock lock(mutex);
  while (!isClosing) {
    // To look early, should it wake without a reason, does no harm.
    closes.wait_for(lock.native(), kPeriod);
    if (isClosing)
      return;
    lock.unlock();
    bool isWell = look();
    lock.lock();
    if (!isWell)
      return;
  }
}

/// A failure of what was submitted earlier.
Status NcclGroup::checkHealth() const {
  for (const Member &member : members) {
    nccl::Result found = 0;
    GRAPHC_TRY(library.check(library.commGetAsyncError(member.comm, &found),
                             "asking for failures"));
    GRAPHC_TRY(library.check(found, "an earlier all-reduce"));
  }
  return Status::ok();
}

Status NcclGroup::await(std::span<const NcclTerm> terms) const {
  for (size_t i = 0; i < members.size(); ++i) {
    const CudaDevice &device = *members[i].device;
    GRAPHC_TRY(device.makeCurrent());
    GRAPHC_TRY(device.check(device.api().streamWaitEvent(
                                members[i].stream->handle(), terms[i].ready, 0),
                            "waiting"));
  }
  return Status::ok();
}

Status NcclGroup::submit(std::span<const NcclTerm> terms, size_t count) const {
  GRAPHC_TRY(library.check(library.groupStart(), "the start of a group"));
  nccl::Result first = 0;
  for (size_t i = 0; i < members.size() && first == 0; ++i)
    first = library.allReduce(asPointer(terms[i].source),
                              asPointer(terms[i].target), count, nccl::kFloat32,
                              nccl::kSum, members[i].comm,
                              members[i].stream->handle());
  // A group must end in any case.
  nccl::Result ended = library.groupEnd();
  return library.check(first ? first : ended, "all-reduce");
}

Status NcclGroup::record(std::span<const NcclTerm> terms) const {
  for (size_t i = 0; i < members.size(); ++i) {
    const CudaDevice &device = *members[i].device;
    GRAPHC_TRY(device.makeCurrent());
    GRAPHC_TRY(device.check(
        device.api().eventRecord(terms[i].done, members[i].stream->handle()),
        "all-reduce"));
  }
  return Status::ok();
}

StatusOr<NcclGroup *>
NcclGroups::find(const std::vector<const CudaDevice *> &devices) {
  std::vector<int> numbers;
  for (const CudaDevice *device : devices)
    numbers.push_back(device->facts().number);
  std::unique_ptr<NcclGroup> &group = groups[numbers];
  if (group)
    return group.get();
  GRAPHC_ASSIGN_OR_RETURN(group, NcclGroup::create(devices));
  return group.get();
}

} // namespace graphc::runtime
