// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compressing bytes with gzip, for tests of what inflates them.
#ifndef GRAPHC_TEST_RUNTIME_DATA_GZIP_H
#define GRAPHC_TEST_RUNTIME_DATA_GZIP_H

#include "test/runtime/data/FileBytes.h"

#include <zlib.h>

namespace graphc::test {

inline Bytes gzip(const Bytes &bytes) {
  z_stream zlib{};
  EXPECT_EQ(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
            Z_OK);
  Bytes packed(deflateBound(&zlib, bytes.size()));
  zlib.next_in =
      reinterpret_cast<Bytef *>(const_cast<std::byte *>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef *>(packed.data());
  zlib.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  packed.resize(zlib.total_out);
  deflateEnd(&zlib);
  return packed;
}

} // namespace graphc::test

#endif
