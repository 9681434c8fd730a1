// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hash that the reference of categories and that of feature columns share.
#ifndef GRAPHC_LIB_INTERPRETER_OPS_FEATUREOPS_H
#define GRAPHC_LIB_INTERPRETER_OPS_FEATUREOPS_H

#include "lib/interpreter/Element.h"

#include "llvm/ADT/ArrayRef.h"

namespace graphc::interpreter {

/// The category of integers by their hash, as tfir.hash_bucket has it.
Element hashBucketOf(llvm::ArrayRef<Element> keys, int64_t seed,
                     int64_t numBuckets);

} // namespace graphc::interpreter

#endif
