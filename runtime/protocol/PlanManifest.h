// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plan manifest, which a server that takes only some plans knows them by. It
// gets a plan slice, not the plan, so the digest of the manifest is allowed,
// the client brings the manifest, and the slice must be listed in it.
#ifndef GRAPHC_RUNTIME_PROTOCOL_PLANMANIFEST_H
#define GRAPHC_RUNTIME_PROTOCOL_PLANMANIFEST_H

#include "runtime/format/Model.h"

#include <span>
#include <string>
#include <string_view>

namespace graphc::runtime {

/// SHA-256 as 64 hex digits.
std::string sha256(std::span<const std::byte> bytes);

/// A line "/job:ps/task:0 <SHA-256 of its slice>" for each task of a whole
/// plan. INVALID_ARGUMENT where it is a slice.
StatusOr<std::string> makePlanManifest(const Model &plan);

/// Digest for --allow: the SHA-256 of the manifest.
std::string allowDigest(std::string_view manifest);

/// True when the manifest lists `slice` for `task`.
bool isListed(std::string_view manifest, std::string_view task,
              std::span<const std::byte> slice);

} // namespace graphc::runtime

#endif
