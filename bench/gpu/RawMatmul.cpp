// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bench/gpu/RawMatmul.h"

namespace graphc::bench {

using namespace runtime;

namespace {
constexpr size_t kWorkspaceBytes = size_t{64} << 20;
} // namespace

Status MatmulCall::enqueue(const CublasLt &library, cuda::Stream stream) const {
  return library.check(library.matmul(handle, operation, alpha, a, aLayout, b,
                                      bLayout, beta, c, cLayout, d, dLayout,
                                      algorithm, workspace, workspaceBytes,
                                      stream),
                       "a product");
}

StatusOr<std::unique_ptr<RawMatmul>> RawMatmul::create(const CudaDevice &device,
                                                       const CublasLt &library,
                                                       const MatmulCall &ours) {
  auto made = std::make_unique<RawMatmul>();
  cublaslt::Preference preference = nullptr;
  GRAPHC_TRY(library.check(library.preferenceCreate(&preference), "a choice"));
  Status status = library.check(
      library.preferenceSet(preference, cublaslt::kPreferWorkspaceBytes,
                            &kWorkspaceBytes, sizeof(kWorkspaceBytes)),
      "a choice");
  int found = 0;
  if (status.isOk())
    status = library.check(
        library.chooseAlgorithm(ours.handle, ours.operation, ours.aLayout,
                                ours.bLayout, ours.cLayout, ours.dLayout,
                                preference, 1, &made->best, &found),
        "a choice");
  library.preferenceDestroy(preference);
  GRAPHC_TRY(status);
  if (found == 0)
    return failedPrecondition("cuBLASLt has no algorithm for a product");
  GRAPHC_ASSIGN_OR_RETURN(
      made->workspace,
      CudaBuffer::allocate(device, kWorkspaceBytes, "a raw product"));
  made->raw = ours;
  made->raw.algorithm = &made->best.algorithm;
  made->raw.workspace = reinterpret_cast<void *>(made->workspace.address());
  made->raw.workspaceBytes = kWorkspaceBytes;
  return made;
}

} // namespace graphc::bench
