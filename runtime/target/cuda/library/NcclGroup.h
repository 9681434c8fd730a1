// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GPUs of this process whose values NCCL adds up.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_NCCLGROUP_H
#define GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_NCCLGROUP_H

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/target/cuda/driver/CudaStream.h"
#include "runtime/target/cuda/library/Nccl.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace graphc::runtime {

/// Contribution of one GPU to a sum, and its result.
struct NcclTerm {
  cuda::Pointer source = 0, target = 0;
  cuda::Event ready = nullptr; ///< both may be used when this has happened
  cuda::Event done = nullptr;  ///< recorded: the sum is there
};

/// A communicator per GPU, and a stream for it beside those of programs. If a
/// GPU fails, the others would wait for its term for ever, and their hosts for
/// them; a thread that looks now and then ends that.
/// Thread-safety: any thread; sums follow each other.
class NcclGroup {
public:
  /// Takes a while. `devices` are different GPUs, and must outlive this.
  static StatusOr<std::unique_ptr<NcclGroup>>
  create(std::vector<const CudaDevice *> devices);
  /// Waits for the work, unless something failed before.
  ~NcclGroup();
  NcclGroup(const NcclGroup &) = delete;
  NcclGroup &operator=(const NcclGroup &) = delete;

  size_t size() const { return members.size(); }

  /// Puts the sum of `count` float32 of each GPU into all targets; `terms` in
  /// the order of the devices. Does not wait for any of them. After a failure
  /// there is no other sum.
  Status sum(std::span<const NcclTerm> terms, size_t count);

  /// Checks all GPUs and NCCL; true when they are well. If not, the sums on
  /// their way end without result.
  bool look();

private:
  struct Member {
    const CudaDevice *device = nullptr;
    std::unique_ptr<CudaStream> stream;
    nccl::Comm comm = nullptr;
  };

  explicit NcclGroup(const Nccl &library) : library(library) {}
  Status start();
  Status trySum(std::span<const NcclTerm> terms, size_t count) const
      GRAPHC_REQUIRES(mutex);
  Status checkHealth() const GRAPHC_REQUIRES(mutex);
  void giveUp() GRAPHC_REQUIRES(mutex);
  void watch();
  Status await(std::span<const NcclTerm> terms) const;
  Status submit(std::span<const NcclTerm> terms, size_t count) const;
  Status record(std::span<const NcclTerm> terms) const;

  const Nccl &library;
  std::vector<Member> members;
  Mutex mutex; ///< held during a sum, too: sums follow each other
  bool hasFailed GRAPHC_GUARDED_BY(mutex) = false;
  bool isClosing GRAPHC_GUARDED_BY(mutex) = false;
  std::condition_variable closes;
  std::thread watcher;
};

/// The groups of a model, each made when it is first asked for.
/// Thread-safety: one call at a time.
class NcclGroups {
public:
  /// See NcclGroup::create(); the same GPUs are the same group.
  StatusOr<NcclGroup *> find(const std::vector<const CudaDevice *> &devices);

  /// Ends all groups: a group goes before the first of its GPUs.
  void clear() { groups.clear(); }

private:
  std::map<std::vector<int>, std::unique_ptr<NcclGroup>> groups; ///< by number
};

} // namespace graphc::runtime

#endif
