// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/archive/Inflate.h"

#include "runtime/data/File.h"

#include <algorithm>
#include <string>
#include <zlib.h>

namespace graphc::runtime {

namespace {

// zlib counts input and output in 32 bits; longer spans go in chunks.
constexpr size_t kChunk = 1u << 30;
// What inflates to little takes little memory, whatever the limit is.
constexpr size_t kFirstBuffer = 1u << 16;

Bytef *zlibBytes(const std::byte *bytes) {
  return reinterpret_cast<Bytef *>(const_cast<std::byte *>(bytes));
}

Status damaged(std::string_view place, const char *reason) {
  return dataLoss("the compressed data of '" + std::string(place) +
                  "' is damaged: " + reason + "; copy or make it again");
}

/// A zlib stream that reads a span and writes a vector.
class Stream {
public:
  explicit Stream(std::span<const std::byte> input) : input(input) {}
  ~Stream() {
    if (end)
      end(&zlib);
  }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// Offers up to one chunk of what is left of the input.
  void offerInput() {
    if (zlib.avail_in > 0)
      return;
    size_t count = std::min(input.size(), kChunk);
    zlib.next_in = zlibBytes(input.data());
    zlib.avail_in = static_cast<uInt>(count);
    input = input.subspan(count);
  }
  bool inputDone() const { return zlib.avail_in == 0 && input.empty(); }

  /// Makes room after the `done` bytes of the output.
  Status offerOutput(std::vector<std::byte> &output, size_t done,
                     uint64_t limit, std::string_view place) {
    if (done == output.size()) {
      uint64_t more = std::max<uint64_t>(kFirstBuffer, output.size());
      GRAPHC_TRY(
          resizeBytes(output, std::min<uint64_t>(limit, done + more), place));
    }
    zlib.next_out = zlibBytes(output.data() + done);
    zlib.avail_out = static_cast<uInt>(std::min(output.size() - done, kChunk));
    return Status::ok();
  }

  z_stream zlib{};
  int (*end)(z_stream *) = nullptr; ///< set once zlib is initialised

private:
  std::span<const std::byte> input; ///< not yet offered
};

} // namespace

bool isGzip(std::span<const std::byte> bytes) {
  return bytes.size() >= 2 && bytes[0] == std::byte{0x1f} &&
         bytes[1] == std::byte{0x8b};
}

bool isZlib(std::span<const std::byte> bytes) {
  if (bytes.size() < 2)
    return false;
  auto method = std::to_integer<unsigned>(bytes[0]);
  auto flags = std::to_integer<unsigned>(bytes[1]);
  return (method & 15) == Z_DEFLATED && method >> 4 <= 7 &&
         (method * 256 + flags) % 31 == 0 && !(flags & 32);
}

StatusOr<std::vector<std::byte>> inflateBytes(std::span<const std::byte> bytes,
                                              Wrapping wrapping, uint64_t limit,
                                              std::string_view place) {
  Stream stream(bytes);
  // 15 bits of window; negative: no header, +16: a gzip header.
  int window = wrapping == Wrapping::Raw    ? -15
               : wrapping == Wrapping::Gzip ? 15 + 16
                                            : 15;
  if (inflateInit2(&stream.zlib, window) != Z_OK)
    return resourceExhausted("zlib has not enough memory");
  stream.end = inflateEnd;
  std::vector<std::byte> output;
  size_t done = 0;
  while (done < limit) {
    stream.offerInput();
    GRAPHC_TRY(stream.offerOutput(output, done, limit, place));
    int result = inflate(&stream.zlib, Z_NO_FLUSH);
    done = static_cast<size_t>(
        reinterpret_cast<std::byte *>(stream.zlib.next_out) - output.data());
    if (result == Z_STREAM_END) {
      if (stream.inputDone())
        break;
      if (wrapping != Wrapping::Gzip)
        return damaged(place, "bytes follow its end");
      if (inflateReset(&stream.zlib) != Z_OK)
        return damaged(place, "its next member cannot be read");
    } else if (result == Z_BUF_ERROR && stream.inputDone()) {
      return damaged(place, "it ends too early");
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      return damaged(place, stream.zlib.msg ? stream.zlib.msg : "no reason");
    }
  }
  output.resize(done);
  return output;
}

StatusOr<std::vector<std::byte>> deflateBytes(std::span<const std::byte> bytes,
                                              std::string_view place) {
  Stream stream(bytes);
  if (deflateInit2(&stream.zlib, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return resourceExhausted("zlib has not enough memory");
  stream.end = deflateEnd;
  std::vector<std::byte> output;
  size_t done = 0;
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    stream.offerInput();
    GRAPHC_TRY(stream.offerOutput(output, done, UINT64_MAX, place));
    result = deflate(&stream.zlib, stream.inputDone() ? Z_FINISH : Z_NO_FLUSH);
    done = static_cast<size_t>(
        reinterpret_cast<std::byte *>(stream.zlib.next_out) - output.data());
  }
  output.resize(done);
  return output;
}

uint32_t crc32Of(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, zlibBytes(bytes.data()), bytes.size()));
}

} // namespace graphc::runtime
