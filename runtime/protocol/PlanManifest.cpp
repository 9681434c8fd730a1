// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/protocol/PlanManifest.h"

#include "runtime/format/PlanSlice.h"

#include <openssl/evp.h>

namespace graphc::runtime {

namespace {

std::string lineOf(std::string_view task, std::span<const std::byte> slice) {
  return std::string(task) + " " + sha256(slice) + "\n";
}

} // namespace

std::string sha256(std::span<const std::byte> bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  // A digest that cannot be made equals no other.
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(),
                 nullptr) != 1)
    return "";
  constexpr const char *kDigits = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : std::span(digest, size)) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

StatusOr<std::string> makePlanManifest(const Model &plan) {
  std::string list;
  for (const std::string &task : tasksOf(plan)) {
    GRAPHC_ASSIGN_OR_RETURN(std::vector<std::byte> slice,
                            makeSlice(plan, task));
    list += lineOf(task, slice);
  }
  return list;
}

std::string allowDigest(std::string_view manifest) {
  return sha256(std::as_bytes(std::span(manifest)));
}

bool isListed(std::string_view manifest, std::string_view task,
              std::span<const std::byte> slice) {
  std::string line = lineOf(task, slice);
  return manifest.starts_with(line) ||
         manifest.find("\n" + line) != std::string_view::npos;
}

} // namespace graphc::runtime
