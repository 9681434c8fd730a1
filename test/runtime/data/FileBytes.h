// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making, damaging and judging small files, for tests of what reads them.
#ifndef GRAPHC_TEST_RUNTIME_DATA_FILEBYTES_H
#define GRAPHC_TEST_RUNTIME_DATA_FILEBYTES_H

#include "runtime/base/Status.h"
#include "runtime/data/HostTensor.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <initializer_list>
#include <random>

namespace graphc::test {

using Bytes = std::vector<std::byte>;

inline Bytes toBytes(std::string_view text) {
  auto bytes = std::as_bytes(std::span<const char>(text));
  return {bytes.begin(), bytes.end()};
}

template <typename T>
runtime::HostTensor tensorOf(std::vector<int64_t> shape,
                             std::vector<T> values) {
  return runtime::HostTensor::of<T>(std::move(shape), values);
}

/// A list of bools, given as bytes.
inline runtime::HostTensor boolsOf(std::vector<uint8_t> values) {
  runtime::HostTensor tensor =
      tensorOf<uint8_t>({static_cast<int64_t>(values.size())}, values);
  tensor.type.dtype = runtime::DType::Bool;
  return tensor;
}

template <typename T>
std::vector<T> valuesOf(const runtime::HostTensor &tensor) {
  auto values = tensor.as<T>();
  return {values.begin(), values.end()};
}

/// A directory for the files of one test, removed at its end.
class TestDirectory {
public:
  TestDirectory() {
    std::string pattern = testing::TempDir() + "graphc-XXXXXX";
    root = ::mkdtemp(pattern.data());
  }
  ~TestDirectory() { std::filesystem::remove_all(root); }

  std::string operator/(const std::string &name) const {
    return root + "/" + name;
  }
  std::string write(const std::string &name, const Bytes &bytes) const {
    // Some file systems sync a file that is cut to nothing, which takes long.
    std::filesystem::remove(*this / name);
    std::ofstream(*this / name, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return *this / name;
  }
  std::string write(const std::string &name, std::string_view text) const {
    return write(name, toBytes(text));
  }
  Bytes read(const std::string &name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return toBytes(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto &entry : std::filesystem::directory_iterator(root))
      found.push_back(entry.path().filename());
    return found;
  }

private:
  std::string root;
};

/// EXPECTs a failure of that code, whose message holds all parts.
inline void expectFailure(const runtime::Status &status,
                          runtime::StatusCode code,
                          std::initializer_list<const char *> parts) {
  EXPECT_EQ(status.code(), code) << status.toString();
  for (const char *part : parts)
    EXPECT_NE(status.message().find(part), std::string::npos)
        << "'" << part << "' is not in: " << status.toString();
}

/// Calls `read` with every proper prefix of the bytes, in memory of exactly
/// that size, so that a sanitizer sees each access after it.
template <typename Read> void cutEverywhere(const Bytes &bytes, Read read) {
  for (size_t size = 0; size < bytes.size(); ++size)
    read(Bytes(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)));
}

/// Calls `read` with copies of the bytes in which one to four are changed.
template <typename Read>
void flipAtRandom(const Bytes &bytes, int rounds, Read read) {
  std::mt19937 random(1);
  for (int round = 0; round < rounds; ++round) {
    Bytes changed = bytes;
    for (uint32_t flips = random() % 4 + 1; flips > 0; --flips)
      changed[random() % changed.size()] ^=
          static_cast<std::byte>(random() % 255 + 1);
    read(changed);
  }
}

} // namespace graphc::test

#endif
