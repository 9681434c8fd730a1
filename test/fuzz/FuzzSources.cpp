// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of all formats with options of their fields, by the way that --data
// takes. The first line of an input is what stands before the file's name, the
// second what stands behind it; the rest is the file.
#include "test/fuzz/Input.h"
#include "test/fuzz/MemoryFile.h"
#include "test/runtime/data/WholeTable.h"

using namespace graphc;
using namespace graphc::runtime;

namespace {

std::string takeLine(std::string_view &text) {
  size_t end = std::min(text.find('\n'), text.size());
  std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

} // namespace

int graphc::test::LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  std::string_view text = input.takeText();
  std::string before = takeLine(text), behind = takeLine(text);
  // Generated rows are no bytes of others, and may be many.
  if (before.starts_with("generate"))
    return 0;
  MemoryFile file(std::as_bytes(std::span(text)));
  auto files = parseDatasetFiles(before + file.path() + behind);
  requireMessage(files.status());
  if (!files.isOk() || files->paths != std::vector{file.path()})
    return 0; // another file of this machine is not what is tested
  DatasetSpec spec;
  spec.name = "data";
  spec.fields = {{"image", {DType::UInt8, {32, 32, 3}}},
                 {"label", {DType::Int64, {}}}};
  if (behind.find("ids") != std::string::npos)
    spec.fields = {{"ids", {DType::Int64, {4}}},
                   {"n", {DType::Int32, {}}},
                   {"x", {DType::Float32, {}}}};
  requireMessage(loadExamples(spec, *files).status());
  return 0;
}
