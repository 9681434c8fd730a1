// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/File.h"
#include "runtime/base/SystemError.h"

#include "runtime/data/TemporaryFile.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace graphc::runtime {

namespace {

/// True for devices, pipes and sockets: a file that is renamed would take their
/// place.
bool isSpecial(const std::string &path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
         !S_ISDIR(info.st_mode);
}

Status writeToSpecial(const std::string &path,
                      std::span<const std::span<const std::byte>> parts) {
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return systemError("cannot write", path, errno);
  Status status;
  for (std::span<const std::byte> part : parts)
    if (status.isOk())
      status = writeAll(descriptor, path, part);
  if (::close(descriptor) != 0 && status.isOk())
    status = systemError("cannot write", path, errno);
  return status;
}

/// The file behind symbolic links; the path itself where nothing is yet.
std::string behindLinks(const std::string &path) {
  char *real = ::realpath(path.c_str(), nullptr);
  std::string result = real ? real : path;
  std::free(real);
  return result;
}

} // namespace

InputFile::InputFile(std::string path, int descriptor, uint64_t fileSize)
    : path(std::move(path)), descriptor(descriptor), fileSize(fileSize) {}

InputFile::InputFile(InputFile &&other) noexcept
    : path(std::move(other.path)),
      descriptor(std::exchange(other.descriptor, -1)),
      fileSize(other.fileSize) {}

InputFile &InputFile::operator=(InputFile &&other) noexcept {
  std::swap(path, other.path);
  std::swap(descriptor, other.descriptor);
  std::swap(fileSize, other.fileSize);
  return *this;
}

InputFile::~InputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

StatusOr<InputFile> InputFile::open(const std::string &path) {
  // A pipe without a writer must be refused, not waited for.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0)
    return systemError("cannot read", path, errno);
  InputFile file(path, descriptor, 0);
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return systemError("cannot read", path, errno);
  if (S_ISDIR(info.st_mode))
    return invalidArgument("cannot read '" + path +
                           "': it is a directory; name a file in it");
  if (!S_ISREG(info.st_mode))
    return invalidArgument("cannot read '" + path +
                           "': it is not an ordinary file; copy its content "
                           "to one");
  file.fileSize = static_cast<uint64_t>(info.st_size);
  return file;
}

Status InputFile::readAt(uint64_t offset, std::span<std::byte> buffer) const {
  size_t done = 0;
  while (done < buffer.size()) {
    ssize_t count =
        ::pread(descriptor, buffer.data() + done, buffer.size() - done,
                static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError("cannot read", path, errno);
    if (count == 0)
      return dataLoss("'" + path + "' ends at byte " +
                      std::to_string(offset + done) + ", but " +
                      std::to_string(buffer.size()) +
                      " bytes are wanted from byte " + std::to_string(offset) +
                      " on; it was cut while it was read");
    done += static_cast<size_t>(count);
  }
  return Status::ok();
}

StatusOr<std::vector<std::byte>> readFileBytes(const std::string &path) {
  GRAPHC_ASSIGN_OR_RETURN(InputFile file, InputFile::open(path));
  std::vector<std::byte> bytes;
  GRAPHC_TRY(resizeBytes(bytes, file.size(), path));
  GRAPHC_TRY(file.readAt(0, bytes));
  return bytes;
}

Status replaceFile(const std::string &path,
                   std::span<const std::span<const std::byte>> parts) {
  if (isSpecial(path))
    return writeToSpecial(path, parts);
  TemporaryFile file(behindLinks(path));
  GRAPHC_TRY(file.create());
  for (std::span<const std::byte> part : parts)
    GRAPHC_TRY(file.write(part));
  return file.moveToTarget();
}

namespace {

constexpr size_t kHugePage = size_t{2} << 20;
/// From here on huge pages are worth the call.
constexpr size_t kHugeBytes = 4 * kHugePage;

/// Of memory that nothing has touched: the first touch takes a tenth of the
/// time then. Where the kernel has none, small pages do.
void adviseHugePages(std::byte *start, size_t size) {
  auto begin = reinterpret_cast<uintptr_t>(start);
  uintptr_t first = (begin + kHugePage - 1) / kHugePage * kHugePage;
  uintptr_t last = (begin + size) / kHugePage * kHugePage;
  if (first < last)
    (void)::madvise(reinterpret_cast<void *>(first), last - first,
                    MADV_HUGEPAGE);
}

} // namespace

Status resizeBytes(std::vector<std::byte> &bytes, uint64_t size,
                   std::string_view place) {
  try {
    if (size >= kHugeBytes && bytes.capacity() < size) {
      bytes.reserve(size);
      adviseHugePages(bytes.data(), size);
    }
    bytes.resize(size);
    return Status::ok();
  } catch (const std::exception &) { // bad_alloc or length_error
    return resourceExhausted("'" + std::string(place) + "' needs " +
                             std::to_string(size) +
                             " bytes of memory, more than there is; use a "
                             "smaller file");
  }
}

} // namespace graphc::runtime
