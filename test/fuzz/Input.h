// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes that a fuzzer gives, taken from the front, and what targets share.
#ifndef GRAPHC_TEST_FUZZ_INPUT_H
#define GRAPHC_TEST_FUZZ_INPUT_H

#include "runtime/base/Status.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <span>
#include <string_view>

namespace graphc::test {

/// Entry point of libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// An input without bytes left gives zeros. Thread-safety: one thread.
class Input {
public:
  Input(const uint8_t *data, size_t size)
      : left(std::as_bytes(std::span(data, size))) {}

  bool isEmpty() const { return left.empty(); }

  /// Of type T, as its bytes are.
  template <typename T> T take() {
    T value = {};
    std::span<const std::byte> bytes = takeBytes(sizeof(T));
    if (!bytes.empty())
      std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }

  /// So many bytes, or all that are left.
  std::span<const std::byte> takeBytes(size_t most) {
    std::span<const std::byte> bytes = left.first(std::min(most, left.size()));
    left = left.subspan(bytes.size());
    return bytes;
  }

  std::string_view takeText(size_t most = SIZE_MAX) {
    std::span<const std::byte> bytes = takeBytes(most);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }

private:
  std::span<const std::byte> left;
};

/// A rule that must hold for every input.
inline void require(bool holds, std::string_view rule) {
  if (holds)
    return;
  std::cerr << "broken rule: " << rule << '\n';
  std::abort();
}

/// A refusal says why.
inline void requireMessage(const runtime::Status &status) {
  require(status.isOk() || !status.message().empty(),
          "a failure has a message");
}

} // namespace graphc::test

#endif
