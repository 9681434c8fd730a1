// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/ModelNames.h"

#include "runtime/format/Quote.h"

namespace graphc::runtime {

Status checkDevice(const flatbuffers::String *name) {
  if (nameOfDevice(viewOf(name)).isFull())
    return Status::ok();
  return dataLoss("its device " + quote(viewOf(name)) +
                  " is no full name of a device");
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
