// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks the settings by which a dataset orders and changes its examples.
#ifndef GRAPHC_RUNTIME_FORMAT_VERIFY_DATASETCHECK_H
#define GRAPHC_RUNTIME_FORMAT_VERIFY_DATASETCHECK_H

#include "runtime/base/Status.h"
#include "runtime/format/Model.h"

namespace graphc::runtime {

/// DATA_LOSS where no compiler wrote such an order, mask or transform. The
/// names of transforms are their registry's, which says so as files are bound.
/// REQUIRES: the types of the fields were checked.
Status checkReading(const format::Dataset &dataset);

} // namespace graphc::runtime

#endif
