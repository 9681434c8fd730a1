// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/TemporaryFile.h"
#include "runtime/base/SystemError.h"

#include <fcntl.h>
#include <unistd.h>

namespace graphc::runtime {

static std::string directoryOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status writeAll(int descriptor, const std::string &path,
                std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("cannot write", path, errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
  return Status::ok();
}

TemporaryFile::~TemporaryFile() {
  if (descriptor >= 0)
    ::close(descriptor);
  if (!name.empty())
    ::unlink(name.c_str());
}

Status TemporaryFile::create() {
  std::string base = target + ".tmp-" + std::to_string(::getpid()) + "-";
  // A crashed process of the same id may have left its file behind.
  for (int attempt = 0; attempt < 1000; ++attempt) {
    std::string candidate = base + std::to_string(attempt);
    descriptor = ::open(candidate.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      name = candidate;
      return Status::ok();
    }
    if (errno != EEXIST)
      return systemError("cannot write", target, errno);
  }
  return systemError("cannot write", target, EEXIST);
}

Status TemporaryFile::write(std::span<const std::byte> bytes) {
  return writeAll(descriptor, target, bytes);
}

Status TemporaryFile::writeAt(uint64_t offset,
                              std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(),
                             static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("cannot write", target, errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
  return Status::ok();
}

Status TemporaryFile::moveToTarget() {
  if (::fsync(descriptor) != 0)
    return systemError("cannot write", target, errno);
  int closed = ::close(descriptor);
  descriptor = -1;
  if (closed != 0)
    return systemError("cannot write", target, errno);
  if (::rename(name.c_str(), target.c_str()) != 0)
    return systemError("cannot replace", target, errno);
  name.clear();
  // The new name is on disk only once its directory is.
  std::string directory = directoryOf(target);
  int opened = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0)
    return systemError("cannot sync the directory", directory, errno);
  int error = ::fsync(opened) == 0 ? 0 : errno;
  ::close(opened);
  // Some file systems have nothing to sync in a directory.
  if (error != 0 && error != EINVAL)
    return systemError("cannot sync the directory", directory, error);
  return Status::ok();
}

} // namespace graphc::runtime
