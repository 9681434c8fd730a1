// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/transport/SharedMemory.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::runtime {

namespace {
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;

std::string errorText() { return std::strerror(errno); }
} // namespace

FileDescriptor::~FileDescriptor() {
  if (number >= 0)
    ::close(number);
}

Status SharedMemory::map(const FileDescriptor &from, size_t bytes) {
  void *place =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, from.get(), 0);
  if (place == MAP_FAILED)
    return resourceExhausted("cannot map " + std::to_string(bytes) +
                             " bytes of shared memory: " + errorText());
  ::madvise(place, bytes, MADV_HUGEPAGE); // where the system allows it
  address = static_cast<std::byte *>(place);
  length = bytes;
  return Status::ok();
}

StatusOr<SharedMemory> SharedMemory::create(const char *name, size_t bytes,
                                            Keep keep) {
  FileDescriptor fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.isOpen())
    return resourceExhausted("cannot make shared memory: " + errorText());
  if (::ftruncate(fd.get(), off_t(bytes)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, kSeals | F_SEAL_SEAL) != 0)
    return resourceExhausted("cannot make " + std::to_string(bytes) +
                             " bytes of shared memory: " + errorText());
  SharedMemory memory;
  GRAPHC_TRY(memory.map(fd, bytes));
  if (keep == Keep::Fd)
    memory.file = std::move(fd);
  return memory;
}

StatusOr<SharedMemory> SharedMemory::open(FileDescriptor fd, size_t bytes) {
  struct stat facts;
  int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals ||
      ::fstat(fd.get(), &facts) != 0 || size_t(facts.st_size) != bytes)
    return invalidArgument(
        "the peer offered shared memory that is not " + std::to_string(bytes) +
        " bytes with a sealed size; it must be graphc of the same version");
  SharedMemory memory;
  GRAPHC_TRY(memory.map(fd, bytes));
  return memory;
}

SharedMemory &SharedMemory::operator=(SharedMemory &&other) noexcept {
  std::swap(address, other.address);
  std::swap(length, other.length);
  std::swap(file, other.file);
  return *this;
}

SharedMemory::~SharedMemory() {
  if (address)
    ::munmap(address, length);
}

} // namespace graphc::runtime
