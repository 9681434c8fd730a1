// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An IDX file: two zero bytes, a type, the rank, each dimension as a big-endian
// uint32, the elements.
#include "runtime/data/idx/Idx.h"

#include "runtime/data/File.h"
#include "runtime/data/TypeCheck.h"
#include "runtime/data/archive/Inflate.h"

#include <algorithm>
#include <optional>

namespace graphc::runtime {

namespace {

// Two zeros, type, rank, and at most 255 dimensions.
constexpr size_t kMaxHeader = 4 + 4 * 255;

StatusOr<DType> dtypeOfCode(int code, std::string_view place) {
  switch (code) {
  case 0x08:
    return DType::UInt8;
  case 0x0c:
    return DType::Int32;
  case 0x0d:
    return DType::Float32;
  case 0x0e:
    return DType::Float64;
  case 0x09:
  case 0x0b:
    return invalidArgument(
        "'" + std::string(place) + "' is an IDX file of " +
        (code == 0x09 ? "int8" : "int16") +
        ", which graphc does not read; save it as uint8, int32, float32 or "
        "float64");
  default:
    return invalidArgument("'" + std::string(place) +
                           "' is not an IDX file: its third byte is " +
                           std::to_string(code) + ", which is no type");
  }
}

size_t headerSize(const TensorType &type) { return 4 + 4 * type.shape.size(); }

/// The type in the first bytes of a file, which may end within its elements.
StatusOr<TensorType> readHeader(std::span<const std::byte> bytes,
                                std::string_view place) {
  if (bytes.size() < 4 || bytes[0] != std::byte{0} || bytes[1] != std::byte{0})
    return invalidArgument("'" + std::string(place) +
                           "' is not an IDX file: it does not start with two "
                           "zero bytes, a type and a rank");
  TensorType type;
  GRAPHC_ASSIGN_OR_RETURN(type.dtype,
                          dtypeOfCode(std::to_integer<int>(bytes[2]), place));
  type.shape.resize(std::to_integer<size_t>(bytes[3]));
  if (bytes.size() < headerSize(type))
    return dataLoss("'" + std::string(place) +
                    "' ends within its header: expected " +
                    std::to_string(headerSize(type)) + " bytes, got " +
                    std::to_string(bytes.size()));
  for (size_t i = 0; i < type.shape.size(); ++i)
    for (size_t j = 0; j < 4; ++j)
      type.shape[i] =
          type.shape[i] << 8 | std::to_integer<int64_t>(bytes[4 + 4 * i + j]);
  if (!checkedNumBytes(type))
    return invalidArgument("'" + std::string(place) + "' claims the shape of " +
                           type.toString() + ", more than any memory holds");
  return type;
}

void reverseEachElement(std::span<std::byte> bytes, size_t elementSize) {
  if (elementSize == 1)
    return;
  for (size_t i = 0; i < bytes.size(); i += elementSize)
    std::reverse(bytes.begin() + i, bytes.begin() + i + elementSize);
}

StatusOr<HostTensor> parsePlain(std::span<const std::byte> bytes,
                                std::string_view place) {
  HostTensor tensor;
  GRAPHC_ASSIGN_OR_RETURN(tensor.type, readHeader(bytes, place));
  std::span<const std::byte> data = bytes.subspan(headerSize(tensor.type));
  GRAPHC_TRY(
      checkByteCount(tensor.type, tensor.type.numBytes(), data.size(), place));
  GRAPHC_TRY(resizeBytes(tensor.bytes, data.size(), place));
  std::copy(data.begin(), data.end(), tensor.bytes.begin());
  reverseEachElement(tensor.bytes, dtypeSize(tensor.type.dtype));
  return tensor;
}

} // namespace

StatusOr<std::pair<TensorType, uint64_t>>
readIdxLayout(std::span<const std::byte> head, uint64_t size,
              std::string_view place) {
  GRAPHC_ASSIGN_OR_RETURN(TensorType type, readHeader(head, place));
  uint64_t offset = headerSize(type);
  GRAPHC_TRY(checkByteCount(type, type.numBytes(), size - offset, place));
  return std::pair{type, offset};
}

StatusOr<HostTensor> parseIdx(std::span<const std::byte> bytes,
                              std::string_view place) {
  if (!isGzip(bytes))
    return parsePlain(bytes, place);
  // The header bounds what may follow, so a small file that inflates to
  // something huge is refused early.
  GRAPHC_ASSIGN_OR_RETURN(
      std::vector<std::byte> start,
      inflateBytes(bytes, Wrapping::Gzip, kMaxHeader, place));
  GRAPHC_ASSIGN_OR_RETURN(TensorType type, readHeader(start, place));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> all,
                          inflateBytes(bytes, Wrapping::Gzip,
                                       headerSize(type) + type.numBytes() + 1,
                                       place));
  return parsePlain(all, place);
}

StatusOr<HostTensor> loadIdx(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFileBytes(path));
  return parseIdx(bytes, path);
}

} // namespace graphc::runtime
