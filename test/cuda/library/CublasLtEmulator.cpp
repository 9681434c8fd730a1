// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for libcublasLt in tests: the calls that the runtime makes, with
// strict checks; the work is handed to the emulated driver.
#include "runtime/target/cuda/library/CublasLt.h"
#include "test/cuda/library/LibraryCall.h"
#include "test/cuda/library/Products.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

using namespace graphc::emulator;
using namespace graphc::runtime::cublaslt;

namespace graphc::runtime::cublaslt {
struct HandleRecord {
  int device = 0;
};
struct MatmulDescRecord {
  int compute = 0;
  int32_t transposeA = 0, transposeB = 0;
  uint32_t epilogue = kEpilogueNone;
  const void *bias = nullptr;
};
struct MatrixLayoutRecord {
  uint64_t rows = 0, columns = 0;
  int64_t stride = 0;
};
struct PreferenceRecord {
  uint64_t workspaceBytes = 0;
  uint32_t reductions = UINT32_MAX;
  uint32_t alignments[4] = {256, 256, 256, 256};
};
} // namespace graphc::runtime::cublaslt

namespace {

constexpr Result kInvalidValue = 7;
/// Magic number of its opaque data.
constexpr uint64_t kMagic = 0x676e69736f6f6863;

Result refuse(Result code, const char *why) {
  return refuseCall("cuBLASLt", code, why);
}

/// Names a problem, so that an algorithm is used for what it was chosen for.
uint64_t problemOf(const MatmulDescRecord &operation,
                   const MatrixLayoutRecord &a, const MatrixLayoutRecord &b,
                   const MatrixLayoutRecord &d) {
  uint64_t hash = 14695981039346656037u;
  for (uint64_t value :
       {uint64_t(operation.transposeA), uint64_t(operation.transposeB), a.rows,
        a.columns, b.rows, b.columns, d.rows, d.columns,
        uint64_t(operation.epilogue)})
    hash = (hash ^ value) * 1099511628211u;
  return hash;
}

bool isWellFormed(const MatrixLayoutRecord &layout) {
  return layout.rows > 0 && layout.columns > 0 &&
         layout.stride >= static_cast<int64_t>(layout.rows);
}

/// True when op(A) op(B) has the shape of D.
bool fit(const MatmulDescRecord &operation, const MatrixLayoutRecord &a,
         const MatrixLayoutRecord &b, const MatrixLayoutRecord &d) {
  uint64_t rows = operation.transposeA ? a.columns : a.rows;
  uint64_t depth = operation.transposeA ? a.rows : a.columns;
  uint64_t otherDepth = operation.transposeB ? b.columns : b.rows;
  uint64_t columns = operation.transposeB ? b.rows : b.columns;
  return isWellFormed(a) && isWellFormed(b) && isWellFormed(d) &&
         rows == d.rows && columns == d.columns && depth == otherDepth;
}

Matrix matrixOf(const MatrixLayoutRecord &layout) {
  return {layout.rows, layout.columns, static_cast<size_t>(layout.stride)};
}

GraphcEmulatorRange rangeOf(const void *start, const Matrix &matrix) {
  return floats(start, matrix.stride * matrix.columns);
}

/// For programs that use the library themselves, beside graphc.
bool mayAddInAnyOrder() {
  const char *order = std::getenv("GRAPHC_EMULATED_ORDER");
  return order && std::string_view(order) == "any";
}

template <typename Value>
Result take(Value &to, const void *from, size_t bytes) {
  if (bytes != sizeof(Value))
    return refuse(kInvalidValue, "an attribute has another size");
  std::memcpy(&to, from, bytes);
  return 0;
}

} // namespace

GRAPHC_CUDA const char *cublasLtGetStatusString(Result result) {
  switch (result) {
  case 0:
    return "CUBLAS_STATUS_SUCCESS";
  case kInvalidValue:
    return "CUBLAS_STATUS_INVALID_VALUE";
  default:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
}

GRAPHC_CUDA Result cublasLtCreate(Handle *handle) {
  if (!hasCurrentDevice())
    return refuse(kInvalidValue, "no device is current");
  *handle = new HandleRecord;
  return 0;
}

GRAPHC_CUDA Result cublasLtDestroy(Handle handle) {
  delete handle;
  return 0;
}

GRAPHC_CUDA Result cublasLtMatmulDescCreate(MatmulDesc *desc, int compute,
                                            int scale) {
  bool isKnown = compute == kComputeFloat32 || compute == kComputeTf32 ||
                 compute == kComputeBfloat16;
  if (!isKnown || scale != kFloat32)
    return refuse(kInvalidValue, "only float32 is emulated");
  *desc = new MatmulDescRecord;
  (*desc)->compute = compute;
  return 0;
}

GRAPHC_CUDA Result cublasLtMatmulDescDestroy(MatmulDesc desc) {
  delete desc;
  return 0;
}

GRAPHC_CUDA Result cublasLtMatmulDescSetAttribute(MatmulDesc desc,
                                                  int attribute,
                                                  const void *value,
                                                  size_t bytes) {
  switch (attribute) {
  case kDescTransposeA:
    return take(desc->transposeA, value, bytes);
  case kDescTransposeB:
    return take(desc->transposeB, value, bytes);
  case kDescEpilogue:
    return take(desc->epilogue, value, bytes);
  case kDescBias:
    return take(desc->bias, value, bytes);
  default:
    return refuse(kInvalidValue, "an attribute is not known");
  }
}

GRAPHC_CUDA Result cublasLtMatrixLayoutCreate(MatrixLayout *layout, int type,
                                              uint64_t rows, uint64_t columns,
                                              int64_t stride) {
  if (type != kFloat32)
    return refuse(kInvalidValue, "only float32 is emulated");
  *layout = new MatrixLayoutRecord{rows, columns, stride};
  return 0;
}

GRAPHC_CUDA Result cublasLtMatrixLayoutDestroy(MatrixLayout layout) {
  delete layout;
  return 0;
}

GRAPHC_CUDA Result cublasLtMatmulPreferenceCreate(Preference *preference) {
  *preference = new PreferenceRecord;
  return 0;
}

GRAPHC_CUDA Result cublasLtMatmulPreferenceDestroy(Preference preference) {
  delete preference;
  return 0;
}

GRAPHC_CUDA Result cublasLtMatmulPreferenceSetAttribute(Preference preference,
                                                        int attribute,
                                                        const void *value,
                                                        size_t bytes) {
  if (attribute == kPreferWorkspaceBytes)
    return take(preference->workspaceBytes, value, bytes);
  if (attribute == kPreferReductions)
    return take(preference->reductions, value, bytes);
  if (attribute >= kPreferAlignmentA && attribute < kPreferAlignmentA + 4)
    return take(preference->alignments[attribute - kPreferAlignmentA], value,
                bytes);
  return refuse(kInvalidValue, "a preference is not known");
}

GRAPHC_CUDA Result cublasLtMatmulAlgoGetHeuristic(
    Handle, MatmulDesc operation, MatrixLayout a, MatrixLayout b,
    MatrixLayout c, MatrixLayout d, Preference preference, int wanted,
    HeuristicResult *results, int *found) {
  *found = 0;
  if (wanted < 1 || !fit(*operation, *a, *b, *d) || c->rows != d->rows ||
      c->columns != d->columns)
    return refuse(kInvalidValue, "the matrices do not fit together");
  if (preference->reductions & ~kReductionInComputeType && !mayAddInAnyOrder())
    return refuse(kNotSupported, "sums in an order that is not fixed");
  if (preference->workspaceBytes < kWorkspaceBytes)
    return kNotSupported;
  results[0] = {};
  results[0].algorithm.data[0] = kMagic;
  results[0].algorithm.data[1] = problemOf(*operation, *a, *b, *d);
  results[0].workspaceBytes = kWorkspaceBytes;
  *found = 1;
  return 0;
}

GRAPHC_CUDA Result cublasLtMatmul(
    Handle, MatmulDesc operation, const void *alpha, const void *a,
    MatrixLayout aLayout, const void *b, MatrixLayout bLayout, const void *beta,
    const void *c, MatrixLayout cLayout, void *d, MatrixLayout dLayout,
    const Algorithm *algorithm, void *workspace, size_t workspaceBytes,
    graphc::runtime::cuda::Stream stream) {
  if (!algorithm || algorithm->data[0] != kMagic ||
      algorithm->data[1] != problemOf(*operation, *aLayout, *bLayout, *dLayout))
    return refuse(kInvalidValue, "the algorithm is of another problem");
  if (workspaceBytes < kWorkspaceBytes || !workspace)
    return refuse(kInvalidValue, "the workspace is too small");
  if (!areAligned({a, b, c, d}))
    return refuse(kInvalidValue, "a matrix is not aligned");
  if (c != d || cLayout->stride != dLayout->stride)
    return refuse(kNotSupported, "only C in the place of D is emulated");
  Product product;
  product.a = matrixOf(*aLayout);
  product.b = matrixOf(*bLayout);
  product.d = matrixOf(*dLayout);
  product.transposeA = operation->transposeA;
  product.transposeB = operation->transposeB;
  product.depth = operation->transposeA ? aLayout->rows : aLayout->columns;
  product.finish.alpha = *static_cast<const float *>(alpha);
  product.finish.beta = *static_cast<const float *>(beta);
  product.finish.hasBias = operation->epilogue & kEpilogueBias;
  product.finish.hasRelu = operation->epilogue & kEpilogueRelu;

  std::vector<GraphcEmulatorRange> reads = {rangeOf(a, product.a),
                                            rangeOf(b, product.b)};
  if (product.finish.hasBias) {
    if (!operation->bias)
      return refuse(kInvalidValue, "the bias has no address");
    reads.push_back(floats(operation->bias, product.d.rows));
  }
  if (product.finish.beta != 0)
    reads.push_back(rangeOf(c, product.d));
  GraphcEmulatorRange writes[] = {rangeOf(d, product.d),
                                  workspaceRange(workspace)};
  CUresult result = graphcEmulatorEnqueue(
      reinterpret_cast<CUstream>(stream), "cublasLtMatmul", reads.data(),
      reads.size(), writes, 2,
      [](void *const *from, void *const *to, const void *arguments) {
        const auto &product = *static_cast<const Product *>(arguments);
        auto at = [&](size_t i) { return static_cast<const float *>(from[i]); };
        multiply(product, at(0), at(1), static_cast<const float *>(to[0]),
                 product.finish.hasBias ? at(2) : nullptr,
                 static_cast<float *>(to[0]));
      },
      &product, sizeof(product));
  return result == CUDA_SUCCESS ? 0 : kNotSupported;
}
