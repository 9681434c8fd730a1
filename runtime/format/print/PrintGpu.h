// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model holds for GPUs, as text.
#ifndef GRAPHC_RUNTIME_FORMAT_PRINT_PRINTGPU_H
#define GRAPHC_RUNTIME_FORMAT_PRINT_PRINTGPU_H

#include "runtime/format/model_generated.h"

#include <iosfwd>

namespace graphc::runtime {

/// The stages of kernel `index`, a line each; nothing where no GPU runs it.
/// `b0` is a buffer of the dispatch, `s0` a part of the scratch memory, whose
/// size is there with `layout`.
void printGpuKernel(const format::Model &model, uint32_t index,
                    std::ostream &out, bool layout = false);

/// The architectures that there is code for; its bytes with `layout`.
void printGpuImages(const format::Model &model, std::ostream &out,
                    bool layout = false);

} // namespace graphc::runtime

#endif
