// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells for which kind of device the kernels of a partition are lowered.
#ifndef GRAPHC_LIB_LOWERING_DEVICETARGET_H
#define GRAPHC_LIB_LOWERING_DEVICETARGET_H

#include "dialects/exec/Exec.h"
#include "dialects/tfir/Tfir.h"

namespace graphc {

/// True when the device is one that kernels can be compiled for beside the
/// host's CPU.
bool isAccelerator(llvm::StringRef device);

/// True when the kernels of the partition, or of the program, are lowered for
/// its accelerator; else they are lowered for the host's CPU.
bool isForAccelerator(tfir::GraphOp partition);
bool isForAccelerator(exec::ProgramOp program);

} // namespace graphc

#endif
