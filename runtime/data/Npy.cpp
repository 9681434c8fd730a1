// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A .npy file: the magic, a version, the length of a header, the header (a
// Python dictionary with 'descr', 'fortran_order' and 'shape'), the elements.
#include "runtime/data/Npy.h"

#include "runtime/data/File.h"
#include "runtime/data/TypeCheck.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <optional>

namespace graphc::runtime {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

constexpr std::string_view kStructured = "a structured type";

struct Descr {
  std::string_view name;
  DType dtype;
};
// The first of a type is what is written. One-byte types have no byte order;
// NumPy writes '|' and accepts any.
constexpr Descr kDescrs[] = {
    {"|b1", DType::Bool},    {"|u1", DType::UInt8},   {"<i4", DType::Int32},
    {"<i8", DType::Int64},   {"<f4", DType::Float32}, {"<f8", DType::Float64},
    {"<f2", DType::Float16}, {"|i1", DType::Int8},    {"<i2", DType::Int16},
    {"<u2", DType::UInt16},  {"<u4", DType::UInt32},  {"<u8", DType::UInt64},
    {"<b1", DType::Bool},    {"<u1", DType::UInt8},   {"<i1", DType::Int8},
    {"?", DType::Bool},      {"b1", DType::Bool},     {"u1", DType::UInt8},
    {"i1", DType::Int8},
};

/// Reads the dictionary of a header. Each member function consumes what it
/// reads, and returns true if it was there.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : rest(text) {}

  bool accept(std::string_view token) {
    skipSpace();
    if (!rest.starts_with(token))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  std::optional<std::string_view> quoted() {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view text = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return text;
  }

  std::optional<std::vector<int64_t>> tuple() {
    std::vector<int64_t> items;
    if (!accept("("))
      return std::nullopt;
    while (!accept(")")) {
      skipSpace();
      int64_t item = 0;
      auto [end, error] =
          std::from_chars(rest.data(), rest.data() + rest.size(), item);
      if (error != std::errc() || item < 0)
        return std::nullopt;
      rest.remove_prefix(static_cast<size_t>(end - rest.data()));
      items.push_back(item);
      accept("L"); // Python 2 wrote its long integers so
      if (!accept(",") && !rest.starts_with(")"))
        return std::nullopt;
    }
    return items;
  }

  bool atEnd() {
    skipSpace();
    return rest.empty();
  }

private:
  void skipSpace() {
    size_t start = rest.find_first_not_of(" \t\n");
    rest.remove_prefix(std::min(start, rest.size()));
  }

  std::string_view rest;
};

struct Header {
  std::string descr; ///< empty: not read yet
  std::optional<bool> fortranOrder;
  std::optional<std::vector<int64_t>> shape;

  bool complete() const { return !descr.empty() && fortranOrder && shape; }
};

/// Reads one "'key': value" into the header; false where that is malformed.
bool readEntry(HeaderReader &reader, Header &header) {
  std::optional<std::string_view> key = reader.quoted();
  if (!key || !reader.accept(":"))
    return false;
  if (*key == "descr" && header.descr.empty()) {
    std::optional<std::string_view> text = reader.quoted();
    // A list describes the members of a structured type.
    header.descr = text.value_or(kStructured);
    return text || reader.accept("[");
  }
  if (*key == "fortran_order" && !header.fortranOrder) {
    header.fortranOrder = reader.accept("True");
    return *header.fortranOrder || reader.accept("False");
  }
  if (*key != "shape" || header.shape)
    return false;
  header.shape = reader.tuple();
  return header.shape.has_value();
}

Status unsupportedType(const std::string &descr, std::string_view place) {
  std::string fix =
      "save it as bool, int8 to int64, uint8 to uint64, float16, float32 or "
      "float64";
  if (descr.starts_with('>'))
    fix = "save it in little-endian order, e.g. with array.astype('<" +
          descr.substr(1) + "')";
  return invalidArgument("'" + std::string(place) + "' has elements of type '" +
                         descr + "', which graphc does not read; " + fix);
}

StatusOr<DType> dtypeOfDescr(const std::string &descr, std::string_view place) {
  for (const Descr &row : kDescrs)
    if (row.name == descr)
      return row.dtype;
  return unsupportedType(descr, place);
}

StatusOr<Header> readHeader(std::string_view text, std::string_view place) {
  Status malformed =
      invalidArgument("the header of '" + std::string(place) +
                      "' is not what NumPy writes; save the array again");
  HeaderReader reader(text);
  Header header;
  if (!reader.accept("{"))
    return malformed;
  for (bool more = true; more && !reader.accept("}");) {
    if (!readEntry(reader, header))
      return malformed;
    if (header.descr == kStructured)
      return unsupportedType(header.descr, place);
    more = reader.accept(",");
    if (!more && !reader.accept("}"))
      return malformed;
  }
  if (!header.complete() || !reader.atEnd())
    return malformed;
  return header;
}

/// Position and size of the header text.
struct Preamble {
  size_t start;
  size_t size;
};

StatusOr<Preamble> readPreamble(std::span<const std::byte> bytes,
                                std::string_view place) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.starts_with(kMagic))
    return invalidArgument("'" + std::string(place) +
                           "' is not a .npy file: it does not start with "
                           "'\\x93NUMPY'");
  Status cut = dataLoss("'" + std::string(place) +
                        "' ends within its header; copy or make it again");
  if (text.size() < 8)
    return cut;
  int version = std::to_integer<int>(bytes[6]);
  if (version < 1 || version > 3)
    return invalidArgument("'" + std::string(place) + "' has version " +
                           std::to_string(version) +
                           " of .npy; versions 1 to 3 are read");
  // Version 1 gives the length in two bytes, the others in four.
  size_t start = version == 1 ? 10 : 12;
  if (text.size() < start)
    return cut;
  size_t size = 0;
  for (size_t i = start; i > 8; --i)
    size = size << 8 | std::to_integer<size_t>(bytes[i - 1]);
  if (size > text.size() - start)
    return cut;
  return Preamble{start, size};
}

/// The elements of a column-major array in row-major order.
void toRowMajor(const TensorType &type, std::span<const std::byte> source,
                std::span<std::byte> target) {
  size_t rank = type.shape.size();
  size_t elementSize = dtypeSize(type.dtype);
  std::vector<size_t> strides(rank), index(rank, 0);
  size_t stride = elementSize;
  for (size_t i = 0; i < rank; ++i) {
    strides[i] = stride;
    stride *= static_cast<size_t>(type.shape[i]);
  }
  size_t from = 0;
  for (size_t to = 0; to < target.size(); to += elementSize) {
    std::memcpy(&target[to], &source[from], elementSize);
    // Count up in row-major order: the last index is the fastest.
    for (size_t i = rank; i-- > 0;) {
      from += strides[i];
      if (++index[i] < static_cast<size_t>(type.shape[i]))
        break;
      from -= strides[i] * index[i];
      index[i] = 0;
    }
  }
}

} // namespace

StatusOr<NpyLayout> readNpyLayout(std::span<const std::byte> head,
                                  uint64_t size, std::string_view place) {
  GRAPHC_ASSIGN_OR_RETURN(Preamble preamble, readPreamble(head, place));
  std::string_view text(reinterpret_cast<const char *>(head.data()) +
                            preamble.start,
                        preamble.size);
  GRAPHC_ASSIGN_OR_RETURN(Header header, readHeader(text, place));
  NpyLayout layout;
  GRAPHC_ASSIGN_OR_RETURN(layout.type.dtype, dtypeOfDescr(header.descr, place));
  layout.type.shape = *header.shape;
  layout.isFortran = *header.fortranOrder;
  layout.offset = preamble.start + preamble.size;
  std::optional<int64_t> bytes = checkedNumBytes(layout.type);
  if (!bytes)
    return invalidArgument("'" + std::string(place) + "' claims the shape of " +
                           layout.type.toString() +
                           ", more than any memory holds");
  GRAPHC_TRY(checkByteCount(layout.type, static_cast<uint64_t>(*bytes),
                            size - layout.offset, place));
  return layout;
}

StatusOr<HostTensor> parseNpy(std::span<const std::byte> bytes,
                              std::string_view place) {
  GRAPHC_ASSIGN_OR_RETURN(NpyLayout layout,
                          readNpyLayout(bytes, bytes.size(), place));
  HostTensor tensor{layout.type, {}};
  std::span<const std::byte> data = bytes.subspan(layout.offset);
  GRAPHC_TRY(resizeBytes(tensor.bytes, data.size(), place));
  if (layout.isFortran)
    toRowMajor(tensor.type, data, tensor.bytes);
  else
    std::copy(data.begin(), data.end(), tensor.bytes.begin());
  GRAPHC_TRY(checkBools(tensor, place));
  return tensor;
}

StatusOr<HostTensor> loadNpy(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFileBytes(path));
  return parseNpy(bytes, path);
}

Status checkNpyType(DType dtype, std::string_view ending) {
  if (dtype == DType::String)
    return invalidArgument("a " + std::string(ending) +
                           " file holds no strings");
  if (dtype == DType::BFloat16)
    return invalidArgument("a " + std::string(ending) +
                           " file holds no bfloat16, which NumPy does not "
                           "have; cast it to f32 or f16 in the graph");
  return Status::ok();
}

std::string npyHeader(const TensorType &type) {
  const Descr *descr =
      std::find_if(std::begin(kDescrs), std::end(kDescrs),
                   [&](const Descr &each) { return each.dtype == type.dtype; });
  assert(descr != std::end(kDescrs) && ".npy holds no such elements");
  std::string dict = "{'descr': '";
  dict += descr->name;
  dict += "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < type.shape.size(); ++i)
    dict += (i ? ", " : "") + std::to_string(type.shape[i]);
  dict += type.shape.size() == 1 ? ",), }" : "), }";
  // The elements start at a multiple of 64 bytes, so readers can map them.
  size_t total = (kMagic.size() + 4 + dict.size() + 1 + 63) / 64 * 64;
  dict.resize(total - kMagic.size() - 4 - 1, ' ');
  dict += '\n';
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(dict.size() & 0xff),
             static_cast<char>(dict.size() >> 8)};
  return header + dict;
}

Status saveNpy(const std::string &path, const HostTensor &tensor) {
  GRAPHC_TRY(checkNpyType(tensor.type.dtype, ".npy")
                 .annotate("cannot write '" + path + "'"));
  std::string header = npyHeader(tensor.type);
  std::array<std::span<const std::byte>, 2> parts{
      std::as_bytes(std::span<const char>(header)), tensor.bytes};
  return replaceFile(path, parts);
}

} // namespace graphc::runtime
