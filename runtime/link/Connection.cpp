// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/link/Connection.h"

#include "runtime/base/CopyBytes.h"

namespace graphc::runtime {

Transfer putBytes(const PeerPlace &place, std::span<const std::byte> bytes) {
  if (!place.address)
    return {};
  copyBytes(place.address, bytes);
  return {Transfer::State::Done};
}

Transfer getBytes(const PeerPlace &place, std::span<std::byte> bytes) {
  if (!place.address)
    return {};
  copyBytes(bytes.data(), {place.address, bytes.size()});
  return {Transfer::State::Done};
}

} // namespace graphc::runtime
