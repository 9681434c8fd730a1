// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/Safetensors.h"

#include "runtime/checkpoint/SafetensorsReader.h"
#include "runtime/data/File.h"
#include "runtime/data/safetensors/SafetensorsHeader.h"

namespace graphc::runtime {

Status saveSafetensors(const std::string &path,
                       std::span<const NamedTensor> tensors,
                       const SafetensorsMetadata &metadata) {
  std::vector<const NamedTensor *> order;
  for (const NamedTensor &named : tensors)
    order.push_back(&named);
  order = safetensorsOrder(order);
  GRAPHC_ASSIGN_OR_RETURN(std::string header,
                          makeSafetensorsHeader(path, order, metadata));
  uint64_t size = header.size();
  std::vector<std::span<const std::byte>> parts{
      std::as_bytes(std::span(&size, 1)),
      std::as_bytes(std::span<const char>(header))};
  for (const NamedTensor *named : order)
    parts.push_back(named->tensor.bytes);
  return replaceFile(path, parts);
}

StatusOr<std::vector<NamedTensor>>
loadSafetensors(const std::string &path, SafetensorsMetadata *metadata) {
  GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<TensorReader> reader,
                          SafetensorsReader::open(path));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> tensors,
                          readTensors(*reader));
  if (metadata)
    *metadata = reader->texts();
  return tensors;
}

StatusOr<SafetensorsMetadata> readSafetensorsMetadata(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  GRAPHC_ASSIGN_OR_RETURN(SafetensorsHeader header,
                          readSafetensorsHeader(file, path));
  return std::move(header.metadata);
}

} // namespace graphc::runtime
