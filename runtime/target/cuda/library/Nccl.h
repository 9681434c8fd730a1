// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's library that adds up values of several GPUs, loaded when it is
// needed. Types and numbers are those of nccl.h.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_NCCL_H
#define GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_NCCL_H

#include "runtime/base/Status.h"
#include "runtime/target/cuda/driver/CudaTypes.h"

#include <cstddef>

namespace graphc::runtime {

namespace nccl {

using Result = int;
using Comm = struct NcclCommRecord *;

inline constexpr int kFloat32 = 7;
inline constexpr int kSum = 0;

} // namespace nccl

// Member, function of the library, its parameters.
#define GRAPHC_NCCL_FUNCTIONS(X)                                               \
  X(getVersion, ncclGetVersion, (int *))                                       \
  X(commInitAll, ncclCommInitAll, (nccl::Comm *, int, const int *))            \
  X(commDestroy, ncclCommDestroy, (nccl::Comm))                                \
  X(commAbort, ncclCommAbort, (nccl::Comm))                                    \
  X(commGetAsyncError, ncclCommGetAsyncError, (nccl::Comm, nccl::Result *))    \
  X(groupStart, ncclGroupStart, ())                                            \
  X(groupEnd, ncclGroupEnd, ())                                                \
  X(allReduce, ncclAllReduce,                                                  \
    (const void *, void *, size_t, int, int, nccl::Comm, cuda::Stream))

/// The library. Thread-safety: const.
class Nccl {
public:
  /// libnccl.so.2, or what GRAPHC_NCCL names; UNAVAILABLE with the reason where
  /// there is none. The first call decides for good.
  static StatusOr<const Nccl *> load();

  const char *(*errorString)(nccl::Result) = nullptr;
#define GRAPHC_DECLARE(MEMBER, FUNCTION, PARAMETERS)                           \
  nccl::Result(*MEMBER) PARAMETERS = nullptr;
  GRAPHC_NCCL_FUNCTIONS(GRAPHC_DECLARE)
#undef GRAPHC_DECLARE

  /// "2.28.9".
  const std::string &version() const { return versionText; }

  Status check(nccl::Result result, std::string_view what) const;

private:
  static StatusOr<const Nccl *> open();

  std::string versionText;
};

} // namespace graphc::runtime

#endif
