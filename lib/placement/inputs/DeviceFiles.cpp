// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/DeviceFiles.h"

#include "llvm/Support/MemoryBuffer.h"

using graphc::runtime::StatusOr;

namespace graphc {

StatusOr<runtime::TextFile> readTextFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return runtime::invalidArgument("cannot read '" + path +
                                    "': " + buffer.getError().message() +
                                    "; check the path");
  return runtime::TextFile{path, (*buffer)->getBuffer().str()};
}

StatusOr<std::optional<runtime::TextFile>>
readOptionalFile(const std::string &path) {
  if (path.empty())
    return std::optional<runtime::TextFile>();
  GRAPHC_ASSIGN_OR_RETURN(runtime::TextFile file, readTextFile(path));
  return std::optional(std::move(file));
}

StatusOr<DeviceSet> readDeviceSet(const DeviceOptions &options) {
  DeviceSources sources;
  sources.devices = options.devices;
  sources.workers = options.workers;
  if (options.cpuDevices)
    sources.cpuDevices = options.cpuDevices;
  GRAPHC_ASSIGN_OR_RETURN(sources.cluster, readOptionalFile(options.cluster));
  GRAPHC_ASSIGN_OR_RETURN(sources.deviceList,
                          readOptionalFile(options.deviceList));
  return options.areGiven() ? DeviceSet::make(sources)
                            : DeviceSet::makeDefault();
}

StatusOr<PlacementRules>
readPlacementRules(const std::vector<std::string> &place,
                   const std::string &file) {
  GRAPHC_ASSIGN_OR_RETURN(std::optional<runtime::TextFile> rules,
                          readOptionalFile(file));
  return PlacementRules::parse(place, rules);
}

StatusOr<CostTable> readCostTable(const std::string &path) {
  if (path.empty())
    return CostTable();
  GRAPHC_ASSIGN_OR_RETURN(runtime::TextFile file, readTextFile(path));
  return CostTable::parse(file);
}

} // namespace graphc
