// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of a variable that one device updates.
#ifndef GRAPHC_LIB_REPLICATION_SHARDS_UPDATESHARD_H
#define GRAPHC_LIB_REPLICATION_SHARDS_UPDATESHARD_H

#include <cstdint>

namespace graphc {

/// The shards of a variable follow each other and together are all of its rows.
struct UpdateShard {
  int64_t begin, size; ///< rows
  unsigned device;     ///< number in the layout of towers
};

} // namespace graphc

#endif
