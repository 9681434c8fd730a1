// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/library/CublasLt.h"

#include "runtime/target/cuda/driver/SharedLibrary.h"

namespace graphc::runtime {

StatusOr<const CublasLt *> CublasLt::load() {
  static const StatusOr<const CublasLt *> kLibrary = open();
  return kLibrary;
}

StatusOr<const CublasLt *> CublasLt::open() {
  GRAPHC_ASSIGN_OR_RETURN(
      SharedLibrary library,
      SharedLibrary::open("cuBLASLt, which multiplies matrices on GPUs,",
                          "GRAPHC_CUBLASLT",
                          {"libcublasLt.so.13", "libcublasLt.so.12"}));
  static CublasLt api;
  GRAPHC_TRY(library.find("cublasLtGetStatusString", api.statusString));
#define GRAPHC_FIND(MEMBER, FUNCTION, PARAMETERS)                              \
  GRAPHC_TRY(library.find(#FUNCTION, api.MEMBER));
  GRAPHC_CUBLASLT_FUNCTIONS(GRAPHC_FIND)
#undef GRAPHC_FIND
  return &api;
}

Status CublasLt::check(cublaslt::Result result, std::string_view what) const {
  if (result == 0)
    return Status::ok();
  return internalError(std::string(what) + " failed in cuBLASLt with " +
                       statusString(result));
}

StatusOr<std::unique_ptr<CublasLtHandle>>
CublasLtHandle::create(const CudaDevice &device) {
  GRAPHC_ASSIGN_OR_RETURN(const CublasLt *library, CublasLt::load());
  std::unique_ptr<CublasLtHandle> handle(new CublasLtHandle(*library, device));
  GRAPHC_TRY(device.makeCurrent());
  GRAPHC_TRY(library->check(library->create(&handle->made), "the start"));
  return handle;
}

CublasLtHandle::~CublasLtHandle() {
  if (made && gpu.makeCurrent().isOk())
    library.destroy(made);
}

} // namespace graphc::runtime
