// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of files and copies through mmap.
#include "runtime/format/Mapping.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace graphc::runtime {

namespace {

/// Closes a descriptor at the end of the scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};

Status openFailure(int error) {
  std::string cause = std::strerror(error);
  if (error == ENOENT)
    return notFound("there is no such file; name a model.bin that graphc has "
                    "written");
  if (error == EACCES || error == EPERM)
    return permissionDenied("it cannot be opened: " + cause +
                            "; ask its owner for the right to read it");
  return unavailable("it cannot be opened: " + cause);
}

StatusOr<size_t> sizeOf(int descriptor) {
  struct stat facts;
  if (::fstat(descriptor, &facts) != 0)
    return unavailable(std::string("its size cannot be read: ") +
                       std::strerror(errno));
  if (S_ISDIR(facts.st_mode))
    return invalidArgument("it is a directory; this is not a model.bin");
  if (!S_ISREG(facts.st_mode))
    return invalidArgument("it is no regular file; this is not a model.bin");
  if (facts.st_size == 0)
    return invalidArgument("it is empty; this is not a model.bin");
  return static_cast<size_t>(facts.st_size);
}

} // namespace

StatusOr<Mapping> Mapping::ofFile(const std::string &path) {
  // Without O_NONBLOCK the opening of a pipe would wait for a writer.
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    return openFailure(errno);
  GRAPHC_ASSIGN_OR_RETURN(size_t size, sizeOf(file.number));
  void *address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED)
    return resourceExhausted(
        "its " + std::to_string(size) +
        " bytes cannot be mapped: " + std::strerror(errno));
  Mapping mapping({static_cast<const std::byte *>(address), size});
  GRAPHC_ASSIGN_OR_RETURN(size_t sizeNow, sizeOf(file.number));
  if (sizeNow != size)
    return unavailable("it changes its size while it is read; wait until "
                       "whoever writes it is done");
  return mapping;
}

StatusOr<Mapping> Mapping::ofBytes(std::span<const std::byte> bytes) {
  if (bytes.empty())
    return Mapping({});
  void *address = ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return resourceExhausted(
        std::to_string(bytes.size()) +
        " bytes cannot be mapped: " + std::strerror(errno));
  std::memcpy(address, bytes.data(), bytes.size());
  Mapping mapping({static_cast<const std::byte *>(address), bytes.size()});
  if (::mprotect(address, bytes.size(), PROT_READ) != 0)
    return internalError(std::string("its memory cannot be made read-only: ") +
                         std::strerror(errno));
  return mapping;
}

Mapping::Mapping(Mapping &&other) noexcept
    : range(std::exchange(other.range, {})) {}

Mapping &Mapping::operator=(Mapping &&other) noexcept {
  std::swap(range, other.range);
  return *this;
}

Mapping::~Mapping() {
  if (!range.empty())
    ::munmap(const_cast<std::byte *>(range.data()), range.size());
}

} // namespace graphc::runtime
