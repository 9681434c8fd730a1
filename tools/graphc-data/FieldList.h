// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields of a dataset as a text: "image: u8[28, 28, 1], label: u8".
#ifndef GRAPHC_TOOLS_GRAPHC_DATA_FIELDLIST_H
#define GRAPHC_TOOLS_GRAPHC_DATA_FIELDLIST_H

#include "runtime/base/Status.h"
#include "runtime/data/DataSource.h"

#include <string>
#include <vector>

namespace graphc::data {

/// As a dataset declares them in the text language. INVALID_ARGUMENT shows what
/// is wrong.
runtime::StatusOr<std::vector<runtime::DatasetSpec::Field>>
parseFields(const std::string &text);

} // namespace graphc::data

#endif
