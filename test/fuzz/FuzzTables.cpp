// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Data sets: a CSV file as some fields, and files of all kinds as a table of
// examples with a range of rows, through the same way as --data takes. The
// first byte says how.
#include "runtime/data/DatasetFiles.h"
#include "runtime/data/csv/Csv.h"
#include "test/fuzz/Input.h"
#include "test/fuzz/MemoryFile.h"
#include "test/runtime/data/WholeTable.h"

using namespace graphc;
using namespace graphc::runtime;

namespace {

/// One of each type, and one of several columns.
std::vector<CsvField> fieldsOf(unsigned choice) {
  static const std::vector<CsvField> all = {
      {"x", {DType::Float32, {2}}}, {"y", {DType::Int32, {}}},
      {"z", {DType::UInt8, {}}},    {"b", {DType::Bool, {}}},
      {"d", {DType::Float64, {}}},  {"l", {DType::Int64, {}}}};
  std::vector<CsvField> fields;
  for (size_t i = 0; i < all.size(); ++i)
    if (choice >> i & 1)
      fields.push_back(all[i]);
  return fields;
}

void checkCsv(const std::vector<CsvField> &fields, std::string_view text) {
  auto tensors = parseCsv(text, fields, "x");
  test::requireMessage(tensors.status());
  if (!tensors.isOk())
    return;
  test::require(tensors->size() == fields.size(), "each field has a tensor");
  for (const HostTensor &tensor : *tensors) {
    test::require(tensor.bytes.size() == tensor.type.numBytes(),
                  "a column has the bytes of its type");
    test::require(tensor.bytes.size() <= 16 * text.size(),
                  "a column is not larger than the text can hold");
  }
}

/// The first line is the range of rows and what else may follow a name.
void checkFiles(std::string_view text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string range(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  test::MemoryFile file(std::as_bytes(std::span(text)));
  auto files = parseDatasetFiles(file.path() + range);
  test::requireMessage(files.status());
  if (!files.isOk())
    return;
  // Another file of this machine is not what is tested.
  for (const std::string &path : files->paths)
    if (path != file.path())
      return;
  DatasetSpec spec;
  spec.name = "data";
  for (size_t i = 0; i < std::min<size_t>(files->paths.size(), 3); ++i)
    spec.fields.push_back({"f" + std::to_string(i), {DType::Float32, {2}}});
  auto table = test::loadExamples(spec, *files);
  test::requireMessage(table.status());
  if (!table.isOk())
    return;
  for (const test::ExampleTable::Column &column : table->columns)
    test::require(column.bytes.size() ==
                      column.rowBytes * static_cast<size_t>(table->rows),
                  "a column has all rows");
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  auto choice = input.take<uint8_t>();
  std::string_view text = input.takeText();
  if (choice & 0x80)
    checkFiles(text);
  else
    checkCsv(fieldsOf(choice & 0x3f), text);
  return 0;
}
