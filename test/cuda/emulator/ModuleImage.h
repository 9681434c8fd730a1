// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of a module to functions that can be launched.
#ifndef GRAPHC_TEST_CUDA_EMULATOR_MODULEIMAGE_H
#define GRAPHC_TEST_CUDA_EMULATOR_MODULEIMAGE_H

#include "test/cuda/emulator/Driver.h"

namespace graphc::emulator {

/// Null, with the reason in `failure`, where the driver cannot run the image.
std::unique_ptr<Module> loadModule(Driver &driver, Context &context,
                                   const void *image, Failure &failure);

/// The newest PTX ISA that a driver of this version knows, times ten.
int newestPtx(int driverVersion);

} // namespace graphc::emulator

#endif
