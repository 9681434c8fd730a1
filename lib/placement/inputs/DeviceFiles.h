// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the files that options name.
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_DEVICEFILES_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_DEVICEFILES_H

#include "graphc/Options.h"
#include "lib/placement/inputs/CostTable.h"
#include "lib/placement/inputs/DeviceSet.h"
#include "lib/placement/inputs/PlacementRules.h"

namespace graphc {

/// InvalidArgument names the file and why it cannot be read.
runtime::StatusOr<runtime::TextFile> readTextFile(const std::string &path);

/// The file with that path, or nothing for an empty path.
runtime::StatusOr<std::optional<runtime::TextFile>>
readOptionalFile(const std::string &path);

/// The devices that the options name; cpu:0 when they name none.
runtime::StatusOr<DeviceSet> readDeviceSet(const DeviceOptions &options);

/// The rules of the user: those of `place`, then those of the file, if any.
runtime::StatusOr<PlacementRules>
readPlacementRules(const std::vector<std::string> &place,
                   const std::string &file);

/// The speeds of the file; built-in ones for an empty path.
runtime::StatusOr<CostTable> readCostTable(const std::string &path);

} // namespace graphc

#endif
