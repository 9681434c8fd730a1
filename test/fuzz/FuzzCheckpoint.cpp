// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checkpoints: any file is refused, or holds what its header says. An input is
// a file; where its first eight bytes, the size of the header, fit no file,
// they are made to fit, so that the header is read.
#include "runtime/checkpoint/Safetensors.h"
#include "test/fuzz/Input.h"
#include "test/fuzz/MemoryFile.h"

#include <vector>

using namespace graphc;
using namespace graphc::runtime;

namespace {

/// The header ends with the last brace.
void repairSize(std::vector<std::byte> &file) {
  uint64_t size = 0;
  if (file.size() < sizeof size)
    return;
  std::memcpy(&size, file.data(), sizeof size);
  if (size <= file.size() - sizeof size)
    return;
  auto last = std::find(file.rbegin(), file.rend(), std::byte('}'));
  uint64_t end = static_cast<uint64_t>(file.rend() - last);
  size = end > sizeof size ? end - sizeof size : 0;
  std::memcpy(file.data(), &size, sizeof size);
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const std::byte> bytes = Input(data, size).takeBytes(size);
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  repairSize(file);
  SafetensorsMetadata metadata;
  auto tensors = loadSafetensors(MemoryFile(file).path(), &metadata);
  requireMessage(tensors.status());
  if (!tensors.isOk())
    return 0;
  size_t total = 0;
  for (const NamedTensor &named : *tensors) {
    require(named.tensor.bytes.size() == named.tensor.type.numBytes(),
            "a tensor has the bytes of its type");
    total += named.tensor.bytes.size();
  }
  require(total <= file.size(), "tensors do not share bytes");
  return 0;
}
