// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file as a builder, for tests that change one thing in it.
#ifndef GRAPHC_TEST_RUNTIME_FORMAT_MODELREADER_H
#define GRAPHC_TEST_RUNTIME_FORMAT_MODELREADER_H

#include "runtime/format/Model.h"
#include "test/runtime/format/ModelBuilder.h"

namespace graphc::test {

/// Everything that the runtime looks at; finish() gives an equal model. All
/// that a builder would derive (lifetimes, waits, order) is written out.
ModelBuilder readModel(const runtime::Model &model);

} // namespace graphc::test

#endif
