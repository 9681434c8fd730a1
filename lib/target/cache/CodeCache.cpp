// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file has a checksum of its key and code, then the code. It is written under
// another name and renamed, so that readers see all of it or nothing; after a
// power cut it may still be short, which the checksum finds. Names begin as
// those that LLVM's own pruning takes for its.
#include "lib/target/cache/CodeCache.h"

#include "lib/target/cache/CodeVersion.inc"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <dlfcn.h>

using namespace llvm;

namespace graphc {
namespace {

constexpr StringLiteral kPrefix = "llvmcache-";
constexpr uint64_t kMostBytes = uint64_t{2} << 30;

ArrayRef<uint8_t> bytesOf(StringRef text) {
  return {text.bytes_begin(), text.size()};
}

/// Time and size of the library, as ccache tells compilers apart: builds of
/// LLVM may call themselves the same.
std::string llvmBuild() {
  Dl_info place;
  sys::fs::file_status status;
  // Some function of LLVM's.
  auto *function = reinterpret_cast<void *>(&llvm::xxh3_128bits);
  if (!dladdr(function, &place) || sys::fs::status(place.dli_fname, status))
    return "";
  return std::to_string(status.getSize()) + " " +
         std::to_string(
             status.getLastModificationTime().time_since_epoch().count());
}

using Checksum = std::array<char, 16>;

Checksum checksumOf(StringRef key, StringRef code) {
  XXH128_hash_t hash = xxh3_128bits(bytesOf((key + code).str()));
  Checksum bytes;
  memcpy(bytes.data(), &hash.low64, 8);
  memcpy(bytes.data() + 8, &hash.high64, 8);
  return bytes;
}

} // namespace

std::string CodeCache::keyOf(ArrayRef<char> source, StringRef settings) {
  static const std::string version =
      (LLVM_VERSION_STRING " " + llvmBuild() + " " + kCodeVersion).str();
  SHA256 hash;
  for (StringRef text : {StringRef(version), settings})
    hash.update((Twine(text.size()) + " " + text).str());
  hash.update(StringRef(source.data(), source.size()));
  return toHex(hash.final(), /*LowerCase=*/true);
}

std::string CodeCache::pathOf(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, kPrefix + key);
  return path.str().str();
}

std::optional<CodeCache::Code> CodeCache::find(StringRef key) {
  if (folder.empty())
    return std::nullopt;
  std::string path = pathOf(key);
  // Pruning goes by the time of the last access.
  auto file = sys::fs::openNativeFileForRead(path, sys::fs::OF_UpdateAtime);
  if (!file) {
    consumeError(file.takeError());
    return std::nullopt;
  }
  scope_exit closing([&] { sys::fs::closeFile(*file); });
  auto buffer = MemoryBuffer::getOpenFile(*file, path, /*FileSize=*/-1,
                                          /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;
  StringRef bytes = (*buffer)->getBuffer();
  if (bytes.size() < sizeof(Checksum))
    return std::nullopt;
  StringRef code = bytes.drop_front(sizeof(Checksum));
  Checksum checksum = checksumOf(key, code);
  if (bytes.take_front(sizeof(Checksum)) !=
      StringRef(checksum.data(), checksum.size()))
    return std::nullopt;
  return Code(code.begin(), code.end());
}

void CodeCache::add(StringRef key, ArrayRef<char> code) {
  if (folder.empty() || !failure().empty())
    return;
  if (std::error_code error = sys::fs::create_directories(folder))
    return fail(error.message());
  SmallString<128> model(folder);
  sys::path::append(model, kPrefix + "%%%%%%%%.tmp");
  auto file = sys::fs::TempFile::create(model);
  if (!file)
    return fail(toString(file.takeError()));
  Checksum checksum = checksumOf(key, StringRef(code.data(), code.size()));
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream.write(checksum.data(), checksum.size());
  stream.write(code.data(), code.size());
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  Error kept = error ? joinErrors(errorCodeToError(error), file->discard())
                     : file->keep(pathOf(key));
  if (kept)
    fail(toString(std::move(kept)));
}

void CodeCache::prune() const {
  if (folder.empty() || !sys::fs::is_directory(folder))
    return;
  CachePruningPolicy policy;
  policy.MaxSizeBytes = kMostBytes;
  pruneCache(folder, policy);
}

CodeCache::Code bitcodeOf(const Module &module) {
  CodeCache::Code bytes;
  raw_svector_ostream stream(bytes);
  WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  return bytes;
}

std::string CodeCache::failure() const {
  std::lock_guard lock(mutex);
  return cause;
}

void CodeCache::fail(std::string text) {
  std::lock_guard lock(mutex);
  if (cause.empty())
    cause = std::move(text);
}

} // namespace graphc
