// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The .npz half of Npy.h: a zip archive of .npy files.
#include "runtime/data/File.h"
#include "runtime/data/Npy.h"
#include "runtime/data/archive/Zip.h"

#include <array>
#include <set>

namespace graphc::runtime {

namespace {

constexpr std::string_view kEnding = ".npy";

std::string arrayName(const ZipMember &member) {
  std::string_view name = member.name;
  if (name.ends_with(kEnding))
    name.remove_suffix(kEnding.size());
  return std::string(name);
}

StatusOr<HostTensor> readArray(const ZipMember &member,
                               std::string_view place) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> content,
                          extractZip(member, place));
  return parseNpy(content, std::string(place) + "/" + member.name);
}

} // namespace

StatusOr<std::vector<NamedTensor>> parseNpz(std::span<const std::byte> bytes,
                                            std::string_view place) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<ZipMember> members,
                          listZip(bytes, place));
  std::vector<NamedTensor> tensors;
  std::set<std::string> names;
  for (const ZipMember &member : members) {
    std::string name = arrayName(member);
    if (!names.insert(name).second)
      return invalidArgument("'" + std::string(place) + "' holds two arrays '" +
                             name + "'; write each name once");
    GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, readArray(member, place));
    tensors.push_back({std::move(name), std::move(tensor)});
  }
  return tensors;
}

StatusOr<HostTensor> parseNpzArray(std::span<const std::byte> bytes,
                                   std::string_view name,
                                   std::string_view place) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<ZipMember> members,
                          listZip(bytes, place));
  std::string known;
  for (const ZipMember &member : members) {
    std::string found = arrayName(member);
    if (found == name)
      return readArray(member, place);
    known += (known.empty() ? "'" : ", '") + found + "'";
  }
  return notFound("'" + std::string(place) + "' has no array '" +
                  std::string(name) + "'; it holds " +
                  (known.empty() ? "nothing" : known));
}

StatusOr<std::vector<NamedTensor>> loadNpz(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> bytes, readFileBytes(path));
  return parseNpz(bytes, path);
}

Status saveNpz(const std::string &path, std::span<const NamedTensor> tensors,
               bool compress) {
  ZipWriter writer;
  std::set<std::string> names;
  for (const NamedTensor &named : tensors) {
    GRAPHC_TRY(
        checkNpyType(named.tensor.type.dtype, ".npz")
            .annotate("cannot write '" + named.name + "' to '" + path + "'"));
    if (!names.insert(named.name).second)
      return invalidArgument("cannot write '" + path + "': the name '" +
                             named.name + "' is used twice");
    std::string header = npyHeader(named.tensor.type);
    std::span<const std::byte> headerBytes =
        std::as_bytes(std::span<const char>(header));
    std::vector<std::byte> content(headerBytes.begin(), headerBytes.end());
    content.insert(content.end(), named.tensor.bytes.begin(),
                   named.tensor.bytes.end());
    GRAPHC_TRY(writer.add(named.name + std::string(kEnding), content, compress)
                   .annotate(path));
  }
  std::array<std::span<const std::byte>, 1> parts{writer.finish()};
  return replaceFile(path, parts);
}

} // namespace graphc::runtime
