// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/ModelNames.h"

namespace graphc::runtime {

Status checkDevice(const format::Device &device) {
  if (nameOfDevice(viewOf(device.name())).isFull())
    return Status::ok();
  return dataLoss("it is no full name of a device");
}

DeviceName nameOfDevice(std::string_view name) {
  StatusOr<DeviceName> parsed = DeviceName::parse(name);
  return parsed.isOk() ? std::move(parsed).value() : DeviceName();
}

Status NameSet::add(const flatbuffers::String *name) {
  if (viewOf(name).empty())
    return dataLoss("its name is empty");
  if (!seen.insert(viewOf(name)).second)
    return dataLoss("its name is used twice");
  return Status::ok();
}

} // namespace graphc::runtime
