// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The digest of a tensor whose bytes come in parts.
#ifndef GRAPHC_RUNTIME_CHECKPOINT_TENSORHASH_H
#define GRAPHC_RUNTIME_CHECKPOINT_TENSORHASH_H

#include "runtime/checkpoint/Manifest.h"

#include <memory>

struct XXH3_state_s;

namespace graphc::runtime {

/// XXH3 of 128 bits, by the widest instructions that the CPU has.
/// Thread-safety: one call at a time.
class TensorHash {
public:
  /// RESOURCE_EXHAUSTED without memory.
  static StatusOr<TensorHash> begin();

  void update(std::span<const std::byte> bytes);
  /// That of all bytes so far.
  TensorDigest digest() const;

private:
  struct Free {
    void operator()(XXH3_state_s *state) const;
  };
  explicit TensorHash(XXH3_state_s *state) : state(state) {}

  std::unique_ptr<XXH3_state_s, Free> state;
};

} // namespace graphc::runtime

#endif
