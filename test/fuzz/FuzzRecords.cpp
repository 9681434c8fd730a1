// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TFRecord files and tf.Example messages: any bytes are refused, or give fields
// of their types. The first half of an input is a message, which is also framed
// as a record; the rest is a file.
#include "runtime/data/tfrecord/ExampleProto.h"
#include "runtime/data/tfrecord/RecordFile.h"
#include "runtime/data/tfrecord/RecordFrame.h"
#include "test/fuzz/Input.h"
#include "test/fuzz/MemoryFile.h"

#include <vector>

using namespace graphc;
using namespace graphc::runtime;
using namespace graphc::test;

namespace {

const std::vector<ExampleField> kFields = {
    {"image", {DType::UInt8, {2, 2}}}, {"label", {DType::Int32, {}}},
    {"flag", {DType::Bool, {}}},       {"weight", {DType::Float64, {2}}},
    {"wide", {DType::Int64, {3}}},     {"floats", {DType::Float32, {2}}}};

/// Reads each field by itself, so that one that is missing hides no other.
void readFields(std::span<const std::byte> example) {
  for (const ExampleField &field : kFields) {
    std::vector<std::byte> value(field.type.numBytes());
    std::byte *place = value.data();
    Status status =
        readExample(example, std::span(&field, 1), std::span(&place, 1));
    requireMessage(status);
    if (!status.isOk())
      continue;
    if (field.type.dtype == DType::Bool)
      require(value[0] <= std::byte{1}, "a bool is 0 or 1");
    const std::byte *from = value.data();
    std::string again = writeExample(std::span(&field, 1), std::span(&from, 1));
    std::vector<std::byte> reread(value.size());
    place = reread.data();
    require(readExample(std::as_bytes(std::span(again)), std::span(&field, 1),
                        std::span(&place, 1))
                .isOk(),
            "what was read can be written and read");
  }
}

void readFile(std::span<const std::byte> bytes) {
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  StatusOr<RecordFile> file = RecordFile::open(MemoryFile(copy).path());
  requireMessage(file.status());
  if (!file.isOk())
    return;
  std::vector<std::byte> buffer;
  for (int64_t i = 0; i < file->records(); ++i) {
    auto record = file->read(i, buffer);
    requireMessage(record.status());
    if (record.isOk())
      readFields(*record);
  }
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::span<const std::byte> bytes = Input(data, size).takeBytes(size);
  std::span<const std::byte> example = bytes.first(size / 2);
  readFields(example);
  auto header = recordHeader(example.size());
  auto footer = recordFooter(example);
  std::vector<std::byte> file(header.begin(), header.end());
  file.insert(file.end(), example.begin(), example.end());
  file.insert(file.end(), footer.begin(), footer.end());
  std::span<const std::byte> rest = bytes.subspan(size / 2);
  file.insert(file.end(), rest.begin(), rest.end());
  readFile(file);
  readFile(rest);
  return 0;
}
