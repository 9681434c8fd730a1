// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/library/Nccl.h"

#include "runtime/target/cuda/driver/SharedLibrary.h"

namespace graphc::runtime {

namespace {

/// Major, minor and patch, of which the minor number once had one digit.
std::string textOf(int version) {
  int major = version < 10000 ? version / 1000 : version / 10000;
  int minor = version < 10000 ? version % 1000 / 100 : version % 10000 / 100;
  return std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(version % 100);
}

} // namespace

StatusOr<const Nccl *> Nccl::load() {
  static const StatusOr<const Nccl *> kLibrary = open();
  return kLibrary;
}

StatusOr<const Nccl *> Nccl::open() {
  GRAPHC_ASSIGN_OR_RETURN(
      SharedLibrary library,
      SharedLibrary::open("NCCL, which adds up values of several GPUs,",
                          "GRAPHC_NCCL", {"libnccl.so.2"}));
  static Nccl api;
  GRAPHC_TRY(library.find("ncclGetErrorString", api.errorString));
#define GRAPHC_FIND(MEMBER, FUNCTION, PARAMETERS)                              \
  GRAPHC_TRY(library.find(#FUNCTION, api.MEMBER));
  GRAPHC_NCCL_FUNCTIONS(GRAPHC_FIND)
#undef GRAPHC_FIND
  int version = 0;
  GRAPHC_TRY(api.check(api.getVersion(&version), "asking for its version"));
  api.versionText = textOf(version);
  return &api;
}

Status Nccl::check(nccl::Result result, std::string_view what) const {
  if (result == 0)
    return Status::ok();
  return internalError(std::string(what) + " failed in NCCL with '" +
                       errorString(result) +
                       "'; NCCL_DEBUG=WARN says more, GRAPHC_NCCL=none does "
                       "without it");
}

} // namespace graphc::runtime
