// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CIFAR-10's and CIFAR-100's binary files as a source.
#ifndef GRAPHC_RUNTIME_DATA_CIFAR_CIFARFORMAT_H
#define GRAPHC_RUNTIME_DATA_CIFAR_CIFARFORMAT_H

#include "runtime/data/source/SourceFormat.h"

namespace graphc::runtime {

const SourceFormat *cifar10Format();
const SourceFormat *cifar100Format();

} // namespace graphc::runtime

#endif
