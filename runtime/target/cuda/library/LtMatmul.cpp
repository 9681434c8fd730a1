// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/library/LtMatmul.h"

namespace graphc::runtime {

namespace {

/// Slots are at multiples of this many bytes.
constexpr uint32_t kAlignment = 64;

int computeType(format::GpuPrecision precision) {
  switch (precision) {
  case format::GpuPrecision::Tf32:
    return cublaslt::kComputeTf32;
  case format::GpuPrecision::Bfloat16:
    return cublaslt::kComputeBfloat16;
  case format::GpuPrecision::Float32:
    break;
  }
  return cublaslt::kComputeFloat32;
}

uint32_t epilogueOf(format::GpuEpilogue epilogue) {
  switch (epilogue) {
  case format::GpuEpilogue::Bias:
    return cublaslt::kEpilogueBias;
  case format::GpuEpilogue::Relu:
    return cublaslt::kEpilogueRelu;
  case format::GpuEpilogue::BiasRelu:
    return cublaslt::kEpilogueBias | cublaslt::kEpilogueRelu;
  case format::GpuEpilogue::None:
    break;
  }
  return cublaslt::kEpilogueNone;
}

} // namespace

StatusOr<std::unique_ptr<GpuLibraryCall>>
LtMatmul::create(const CublasLtHandle &library, const format::GpuMatmul &matmul,
                 uint64_t workspaceBytes) {
  std::unique_ptr<LtMatmul> made(new LtMatmul(library, matmul, workspaceBytes));
  made->alpha = matmul.alpha();
  made->beta = matmul.beta();
  GRAPHC_TRY(library.device().makeCurrent());
  GRAPHC_TRY(made->describeOperation());
  GRAPHC_TRY(made->chooseAlgorithm());
  return std::unique_ptr<GpuLibraryCall>(std::move(made));
}

LtMatmul::~LtMatmul() {
  const CublasLt &api = library.api();
  for (cublaslt::MatrixLayout layout : {a, b, c})
    if (layout)
      api.layoutDestroy(layout);
  if (operation)
    api.descDestroy(operation);
}

bool LtMatmul::hasBias() const {
  return matmul.epilogue() == format::GpuEpilogue::Bias ||
         matmul.epilogue() == format::GpuEpilogue::BiasRelu;
}

/// For messages.
std::string LtMatmul::describe() const {
  return "the matrix product " + std::to_string(matmul.m()) + " x " +
         std::to_string(matmul.n()) + " x " + std::to_string(matmul.k());
}

Status LtMatmul::describeOperation() {
  const CublasLt &api = library.api();
  auto check = [&](cublaslt::Result result) {
    return api.check(result, "describing " + describe());
  };
  auto set = [&](int attribute, const auto &value) {
    return check(api.descSet(operation, attribute, &value, sizeof(value)));
  };
  auto layout = [&](cublaslt::MatrixLayout &made, uint64_t rows,
                    uint64_t columns) {
    return check(api.layoutCreate(&made, cublaslt::kFloat32, rows, columns,
                                  static_cast<int64_t>(rows)));
  };
  uint64_t m = matmul.m(), n = matmul.n(), k = matmul.k();
  GRAPHC_TRY(check(api.descCreate(&operation, computeType(matmul.precision()),
                                  cublaslt::kFloat32)));
  // The library's A is the matrix B, and the other way round.
  GRAPHC_TRY(matmul.transpose_b() ? layout(b, k, n) : layout(b, n, k));
  GRAPHC_TRY(matmul.transpose_a() ? layout(a, m, k) : layout(a, k, m));
  GRAPHC_TRY(layout(c, n, m));
  if (matmul.transpose_b())
    GRAPHC_TRY(set(cublaslt::kDescTransposeA, cublaslt::kTranspose));
  if (matmul.transpose_a())
    GRAPHC_TRY(set(cublaslt::kDescTransposeB, cublaslt::kTranspose));
  return set(cublaslt::kDescEpilogue, epilogueOf(matmul.epilogue()));
}

Status LtMatmul::chooseAlgorithm() {
  const CublasLt &api = library.api();
  cublaslt::Preference preference = nullptr;
  auto check = [&](cublaslt::Result result) {
    return api.check(result, "choosing an algorithm for " + describe());
  };
  auto set = [&](int attribute, const auto &value) {
    return check(
        api.preferenceSet(preference, attribute, &value, sizeof(value)));
  };
  GRAPHC_TRY(check(api.preferenceCreate(&preference)));
  std::unique_ptr<std::remove_pointer_t<cublaslt::Preference>,
                  cublaslt::Result (*)(cublaslt::Preference)>
      owner(preference, api.preferenceDestroy);
  GRAPHC_TRY(set(cublaslt::kPreferWorkspaceBytes, workspaceBytes));
  GRAPHC_TRY(
      set(cublaslt::kPreferReductions, cublaslt::kReductionInComputeType));
  for (int matrix = 0; matrix < 4; ++matrix)
    GRAPHC_TRY(set(cublaslt::kPreferAlignmentA + matrix, kAlignment));
  cublaslt::HeuristicResult best = {};
  int found = 0;
  cublaslt::Result result = api.chooseAlgorithm(
      library.handle(), operation, b, a, c, c, preference, 1, &best, &found);
  if (result != cublaslt::kNotSupported)
    GRAPHC_TRY(check(result));
  if (found == 0 || best.state != 0)
    return failedPrecondition(
        "cuBLASLt has no algorithm for " + describe() + " that needs at most " +
        std::to_string(workspaceBytes) + " bytes of workspace");
  algorithm = best.algorithm;
  return Status::ok();
}

Status LtMatmul::enqueue(cuda::Stream stream, const cuda::Pointer *buffers) {
  const CublasLt &api = library.api();
  auto pointer = [&](int buffer) {
    return reinterpret_cast<void *>(buffers[buffer]);
  };
  int last = 3;
  if (hasBias()) {
    void *bias = pointer(last++);
    GRAPHC_TRY(api.check(
        api.descSet(operation, cublaslt::kDescBias, &bias, sizeof(bias)),
        describe()));
  }
  return api.check(api.matmul(library.handle(), operation, &alpha, pointer(1),
                              b, pointer(0), a, &beta, pointer(2), c,
                              pointer(2), c, &algorithm, pointer(last),
                              workspaceBytes, stream),
                   describe());
}

} // namespace graphc::runtime
