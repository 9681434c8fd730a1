// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays in files: IDX (plain and gzip), NPY and NPZ. The first byte says
// which; whatever is accepted has the bytes of its type, and no more than a
// small multiple of the file's.
#include "runtime/data/Npy.h"
#include "runtime/data/idx/Idx.h"
#include "test/fuzz/Input.h"

using namespace graphc;
using namespace graphc::runtime;

namespace {

/// Deflate makes at most so many bytes of one.
constexpr size_t kMaxInflation = 1040;

void check(const HostTensor &tensor, size_t size) {
  test::require(tensor.bytes.size() == tensor.type.numBytes(),
                "an array has the bytes of its type");
  test::require(tensor.bytes.size() <= kMaxInflation * size,
                "an array is not larger than the file can hold");
}

void checkOne(const StatusOr<HostTensor> &tensor, size_t size) {
  test::requireMessage(tensor.status());
  if (tensor.isOk())
    check(*tensor, size);
}

void checkArchive(std::span<const std::byte> bytes) {
  auto all = parseNpz(bytes, "x");
  test::requireMessage(all.status());
  if (!all.isOk())
    return;
  for (const NamedTensor &named : *all) {
    check(named.tensor, bytes.size());
    auto one = parseNpzArray(bytes, named.name, "x");
    test::require(one.isOk() && one->type.numBytes() == one->bytes.size(),
                  "an array that is listed can be read alone");
  }
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  char kind = input.take<char>();
  std::span<const std::byte> bytes = input.takeBytes(size);
  if (kind == 'z')
    checkArchive(bytes);
  else if (kind == 'n')
    checkOne(parseNpy(bytes, "x"), size);
  else
    checkOne(parseIdx(bytes, "x"), size);
  return 0;
}
