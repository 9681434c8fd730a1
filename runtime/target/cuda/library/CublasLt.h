// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NVIDIA's library for matrix products, loaded when it is needed. Types and
// numbers are those of cublasLt.h.
#ifndef GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_CUBLASLT_H
#define GRAPHC_RUNTIME_TARGET_CUDA_LIBRARY_CUBLASLT_H

#include "runtime/target/cuda/driver/CudaDevice.h"

namespace graphc::runtime {

namespace cublaslt {

using Result = int;
using Handle = struct HandleRecord *;
using MatmulDesc = struct MatmulDescRecord *;
using MatrixLayout = struct MatrixLayoutRecord *;
using Preference = struct PreferenceRecord *;

struct Algorithm {
  uint64_t data[8];
};

struct HeuristicResult {
  Algorithm algorithm;
  size_t workspaceBytes;
  Result state;
  float wavesCount;
  int reserved[4];
};

inline constexpr Result kNotSupported = 15;

inline constexpr int kFloat32 = 0; ///< CUDA_R_32F
inline constexpr int kComputeFloat32 = 68;
inline constexpr int kComputeBfloat16 = 75;
inline constexpr int kComputeTf32 = 77;

inline constexpr int kDescTransposeA = 3; ///< of a MatmulDesc
inline constexpr int kDescTransposeB = 4;
inline constexpr int kDescEpilogue = 7;
inline constexpr int kDescBias = 8;
inline constexpr int32_t kTranspose = 1;
inline constexpr uint32_t kEpilogueNone = 1;
inline constexpr uint32_t kEpilogueRelu = 2;
inline constexpr uint32_t kEpilogueBias = 4;

inline constexpr int kPreferWorkspaceBytes = 1; ///< of a Preference
inline constexpr int kPreferReductions = 3;
inline constexpr int kPreferAlignmentA = 5; ///< and B, C, D
/// Parts of sums are added in a fixed order, in memory of their own.
inline constexpr uint32_t kReductionInComputeType = 2;

} // namespace cublaslt

// Member, function of the library, its parameters.
#define GRAPHC_CUBLASLT_FUNCTIONS(X)                                           \
  X(create, cublasLtCreate, (cublaslt::Handle *))                              \
  X(destroy, cublasLtDestroy, (cublaslt::Handle))                              \
  X(descCreate, cublasLtMatmulDescCreate, (cublaslt::MatmulDesc *, int, int))  \
  X(descDestroy, cublasLtMatmulDescDestroy, (cublaslt::MatmulDesc))            \
  X(descSet, cublasLtMatmulDescSetAttribute,                                   \
    (cublaslt::MatmulDesc, int, const void *, size_t))                         \
  X(layoutCreate, cublasLtMatrixLayoutCreate,                                  \
    (cublaslt::MatrixLayout *, int, uint64_t, uint64_t, int64_t))              \
  X(layoutDestroy, cublasLtMatrixLayoutDestroy, (cublaslt::MatrixLayout))      \
  X(preferenceCreate, cublasLtMatmulPreferenceCreate,                          \
    (cublaslt::Preference *))                                                  \
  X(preferenceDestroy, cublasLtMatmulPreferenceDestroy,                        \
    (cublaslt::Preference))                                                    \
  X(preferenceSet, cublasLtMatmulPreferenceSetAttribute,                       \
    (cublaslt::Preference, int, const void *, size_t))                         \
  X(chooseAlgorithm, cublasLtMatmulAlgoGetHeuristic,                           \
    (cublaslt::Handle, cublaslt::MatmulDesc, cublaslt::MatrixLayout,           \
     cublaslt::MatrixLayout, cublaslt::MatrixLayout, cublaslt::MatrixLayout,   \
     cublaslt::Preference, int, cublaslt::HeuristicResult *, int *))           \
  X(matmul, cublasLtMatmul,                                                    \
    (cublaslt::Handle, cublaslt::MatmulDesc, const void *, const void *,       \
     cublaslt::MatrixLayout, const void *, cublaslt::MatrixLayout,             \
     const void *, const void *, cublaslt::MatrixLayout, void *,               \
     cublaslt::MatrixLayout, const cublaslt::Algorithm *, void *, size_t,      \
     cuda::Stream))

/// The library. Thread-safety: const.
class CublasLt {
public:
  /// libcublasLt.so.13 or .12, or what GRAPHC_CUBLASLT names; UNAVAILABLE with
  /// the reason where there is none. The first call decides for good.
  static StatusOr<const CublasLt *> load();

  const char *(*statusString)(cublaslt::Result) = nullptr;
#define GRAPHC_DECLARE(MEMBER, FUNCTION, PARAMETERS)                           \
  cublaslt::Result(*MEMBER) PARAMETERS = nullptr;
  GRAPHC_CUBLASLT_FUNCTIONS(GRAPHC_DECLARE)
#undef GRAPHC_DECLARE

  Status check(cublaslt::Result result, std::string_view what) const;

private:
  static StatusOr<const CublasLt *> open();
};

/// The library as one GPU uses it. Thread-safety: as the library's handles.
class CublasLtHandle {
public:
  /// `device` must outlive the handle.
  static StatusOr<std::unique_ptr<CublasLtHandle>>
  create(const CudaDevice &device);
  ~CublasLtHandle();
  CublasLtHandle(const CublasLtHandle &) = delete;
  CublasLtHandle &operator=(const CublasLtHandle &) = delete;

  const CublasLt &api() const { return library; }
  const CudaDevice &device() const { return gpu; }
  cublaslt::Handle handle() const { return made; }

private:
  CublasLtHandle(const CublasLt &library, const CudaDevice &device)
      : library(library), gpu(device) {}

  const CublasLt &library;
  const CudaDevice &gpu;
  cublaslt::Handle made = nullptr;
};

} // namespace graphc::runtime

#endif
