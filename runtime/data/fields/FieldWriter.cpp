// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/fields/FieldWriter.h"

#include "runtime/base/Texts.h"
#include "runtime/data/fields/Fingerprint.h"

#include <charconv>
#include <cstring>
#include <limits>

namespace graphc::runtime {

namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

bool isReal(DType dtype) {
  return dtype == DType::Float32 || dtype == DType::Float64;
}

bool fits(DType dtype, int64_t value) {
  switch (dtype) {
  case DType::Bool:
    return value == 0 || value == 1;
  case DType::UInt8:
    return value >= 0 && value <= 255;
  case DType::Int32:
    return value >= INT32_MIN && value <= INT32_MAX;
  default:
    return true;
  }
}

Status wrongValue(std::string_view text, const TensorType &type) {
  return invalidArgument(quote(text.substr(0, 40)) + ", which is not " +
                         dtypeName(type.dtype));
}

} // namespace

template <typename T> void FieldWriter::store(T value) {
  std::memcpy(to, &value, sizeof(value));
  to += sizeof(value);
}

void FieldWriter::storeInteger(int64_t value) {
  switch (type.dtype) {
  case DType::Bool:
  case DType::UInt8:
    return store(static_cast<uint8_t>(value));
  case DType::Int32:
    return store(static_cast<int32_t>(value));
  case DType::Int64:
    return store(value);
  default:
    return storeReal(static_cast<double>(value));
  }
}

void FieldWriter::storeReal(double value) {
  if (type.dtype == DType::Float64)
    store(value);
  else
    store(static_cast<float>(value));
}

Status FieldWriter::addInteger(int64_t value) {
  ++count;
  if (options.isLength || count > room)
    return Status::ok(); // finish() tells
  if (!fits(type.dtype, value))
    return invalidArgument("the integer " + std::to_string(value) +
                           ", which does not fit " + dtypeName(type.dtype));
  storeInteger(value);
  return Status::ok();
}

Status FieldWriter::addReal(double value) {
  ++count;
  if (options.isLength || count > room)
    return Status::ok();
  if (!isReal(type.dtype))
    return invalidArgument("floats, but the field is declared " +
                           type.toString());
  storeReal(value);
  return Status::ok();
}

Status FieldWriter::addDigits(std::string_view text) {
  if (isReal(type.dtype)) {
    double value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      return wrongValue(text, type);
    return addReal(value);
  }
  int64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return wrongValue(text, type);
  return addInteger(value);
}

Status FieldWriter::addWord(std::string_view word) {
  if (options.isLength || isFull()) {
    ++count;
    return Status::ok();
  }
  if (options.buckets > 0)
    return addInteger(static_cast<int64_t>(
        fingerprint64(word) % static_cast<uint64_t>(options.buckets)));
  if (!options.vocabulary)
    return addDigits(word);
  std::optional<int64_t> number = options.vocabulary->find(word);
  if (!number)
    number = options.unknown;
  if (number)
    return addInteger(*number);
  return invalidArgument("the word " + quote(word.substr(0, 40)) +
                         ", which is not in '" + options.vocabulary->path() +
                         "'; add it, or give such words a number by :oov=N");
}

Status FieldWriter::addText(std::string_view text) {
  if (!options.splits)
    return addWord(text);
  for (;;) {
    size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
      return Status::ok();
    text.remove_prefix(begin);
    std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    GRAPHC_TRY(addWord(word));
    text.remove_prefix(word.size());
  }
}

Status FieldWriter::finish() {
  if (options.isLength) {
    int64_t most = options.mostLength.value_or(INT64_MAX);
    int64_t length = std::min(count, most);
    if (!fits(type.dtype, length))
      return invalidArgument(std::to_string(length) +
                             " values, a number that does not fit " +
                             dtypeName(type.dtype));
    storeInteger(length);
    return Status::ok();
  }
  if (count > room && !options.cuts)
    return invalidArgument(
        std::to_string(count) + " values, but the field is declared " +
        type.toString() + "; declare more, or leave out the rest by :cut");
  if (count < room && !options.pad)
    return invalidArgument(
        std::to_string(count) + " values, but the field is declared " +
        type.toString() + "; give what is missing a value by :pad=0");
  if (count < room) {
    std::byte *first = to;
    GRAPHC_TRY(addDigits(*options.pad));
    auto size = static_cast<size_t>(to - first);
    for (; count < room; ++count, to += size)
      std::memcpy(to, first, size);
  }
  return Status::ok();
}

Status FieldWriter::addFallback() {
  if (options.isLength && !options.fallback)
    return finish(); // there are none
  if (!options.fallback)
    return options.pad ? finish() : invalidArgument("no value");
  GRAPHC_TRY(addText(*options.fallback));
  // One number stands for all elements.
  while (!options.isLength && !options.pad && count < room)
    GRAPHC_TRY(addText(*options.fallback));
  return finish();
}

Status FieldWriter::checkNumber(const TensorType &type, std::string_view text) {
  std::byte element[8];
  TensorType one{type.dtype, {}};
  FieldOptions plain;
  FieldWriter writer(one, plain, element);
  Status status = writer.addDigits(text);
  return status.isOk()
             ? status
             : invalidArgument("a value is given as " + status.message());
}

} // namespace graphc::runtime
