// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/TensorHash.h"

#include <xxhash.h>
// The functions of that header are made of SSE2, whose digests take as long as
// reading from the cache of the disk; these choose by the CPU.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

namespace graphc::runtime {

namespace {

/// The library chooses at the first call, without a lock.
XXH128_hash_t hashOf(std::span<const std::byte> bytes) {
  static const XXH128_hash_t chosen = XXH3_128bits("", 0);
  return bytes.empty() ? chosen : XXH3_128bits(bytes.data(), bytes.size());
}

} // namespace

TensorDigest digestOf(std::span<const std::byte> bytes) {
  XXH128_hash_t hash = hashOf(bytes);
  return {hash.low64, hash.high64};
}

void TensorHash::Free::operator()(XXH3_state_s *state) const {
  XXH3_freeState(state);
}

StatusOr<TensorHash> TensorHash::begin() {
  hashOf({});
  XXH3_state_t *state = XXH3_createState();
  if (!state)
    return resourceExhausted("no memory for the digest of a tensor");
  XXH3_128bits_reset(state);
  return TensorHash(state);
}

void TensorHash::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state.get(), bytes.data(), bytes.size());
}

TensorDigest TensorHash::digest() const {
  XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return {hash.low64, hash.high64};
}

} // namespace graphc::runtime
