// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/library/Cudnn.h"

#include "runtime/target/cuda/driver/SharedLibrary.h"

namespace graphc::runtime {

StatusOr<const Cudnn *> Cudnn::load() {
  static const StatusOr<const Cudnn *> kLibrary = open();
  return kLibrary;
}

StatusOr<const Cudnn *> Cudnn::open() {
  GRAPHC_ASSIGN_OR_RETURN(
      SharedLibrary library,
      SharedLibrary::open("cuDNN, which does convolutions on GPUs,",
                          "GRAPHC_CUDNN", {"libcudnn.so.9"}));
  static Cudnn api;
  GRAPHC_TRY(library.find("cudnnGetErrorString", api.errorString));
#define GRAPHC_FIND(MEMBER, FUNCTION, PARAMETERS)                              \
  GRAPHC_TRY(library.find(#FUNCTION, api.MEMBER));
  GRAPHC_CUDNN_FUNCTIONS(GRAPHC_FIND)
#undef GRAPHC_FIND
  return &api;
}

Status Cudnn::check(cudnn::Result result, std::string_view what) const {
  if (result == 0)
    return Status::ok();
  return internalError(std::string(what) + " failed in cuDNN with " +
                       errorString(result));
}

StatusOr<std::unique_ptr<CudnnHandle>>
CudnnHandle::create(const CudaDevice &device) {
  GRAPHC_ASSIGN_OR_RETURN(const Cudnn *library, Cudnn::load());
  std::unique_ptr<CudnnHandle> handle(new CudnnHandle(*library, device));
  GRAPHC_TRY(device.makeCurrent());
  GRAPHC_TRY(library->check(library->create(&handle->made), "the start"));
  return handle;
}

CudnnHandle::~CudnnHandle() {
  if (made && gpu.makeCurrent().isOk())
    library.destroy(made);
}

} // namespace graphc::runtime
