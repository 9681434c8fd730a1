// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens a model: map, verify, hand out.
#include "runtime/format/Model.h"

#include "runtime/format/FileHeader.h"
#include "runtime/format/Quote.h"
#include "runtime/format/verify/ModelVerifier.h"

#include <cstring>

namespace graphc::runtime {

StatusOr<std::shared_ptr<const Model>>
Model::verified(StatusOr<Mapping> mapping, std::string name) {
  std::string where = "model file " + quote(name);
  if (!mapping.isOk())
    return mapping.status().annotate(where);
  GRAPHC_TRY(verifyModel(mapping->bytes()).annotate(where));
  return std::shared_ptr<const Model>(
      new Model(std::move(mapping).value(), std::move(name)));
}

StatusOr<std::shared_ptr<const Model>> Model::open(const std::string &path) {
  return verified(Mapping::ofFile(path), path);
}

StatusOr<std::shared_ptr<const Model>>
Model::fromBytes(std::vector<std::byte> bytes, std::string name) {
  return verified(Mapping::ofBytes(bytes), std::move(name));
}

const format::Model &Model::index() const {
  return *format::GetModel(mapping.bytes().data() + sizeof(format::FileHeader));
}

std::span<const std::byte> Model::blob(const format::Blob &blob) const {
  std::span<const std::byte> file = mapping.bytes();
  if (blob.offset() > file.size() || blob.size() > file.size() - blob.offset())
    return {};
  return file.subspan(blob.offset(), blob.size());
}

ExecutableCode Model::executable(std::string_view target) const {
  for (const format::Executable *each : *index().executables())
    if (each->target()->string_view() == target)
      return {blob(*each->code()), each->code()->offset()};
  return {};
}

std::array<uint64_t, 2> Model::digest() const {
  format::FileHeader header;
  std::memcpy(&header, mapping.bytes().data(), sizeof(header));
  return {header.digest[0], header.digest[1]};
}

const format::Graph *Model::findGraph(std::string_view name) const {
  for (const format::Graph *graph : *index().graphs())
    if (graph->name()->string_view() == name)
      return graph;
  return nullptr;
}

} // namespace graphc::runtime
