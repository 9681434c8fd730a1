// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// FarmHash's Fingerprint64: the stable hash of texts that TensorFlow's
// string_to_hash_bucket_fast takes, too.
#ifndef GRAPHC_RUNTIME_DATA_FIELDS_FINGERPRINT_H
#define GRAPHC_RUNTIME_DATA_FIELDS_FINGERPRINT_H

#include <cstdint>
#include <string_view>

namespace graphc::runtime {

/// The same on all machines, and in each version.
uint64_t fingerprint64(std::string_view text);

} // namespace graphc::runtime

#endif
