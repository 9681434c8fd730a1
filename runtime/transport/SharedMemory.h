// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that two processes map, neither of which can make it smaller.
#ifndef GRAPHC_RUNTIME_TRANSPORT_SHAREDMEMORY_H
#define GRAPHC_RUNTIME_TRANSPORT_SHAREDMEMORY_H

#include "runtime/base/Status.h"

#include <cstddef>
#include <utility>

namespace graphc::runtime {

/// Owns a file descriptor. Thread-safety: as a value type.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : number(fd) {}
  FileDescriptor(FileDescriptor &&other) noexcept
      : number(std::exchange(other.number, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~FileDescriptor();

  int get() const { return number; }
  bool isOpen() const { return number >= 0; }

private:
  int number = -1;
};

/// Keeps the mapping only, or the descriptor too, to pass it on.
enum class Keep { Mapping, Fd };

/// A mapped memfd whose size is sealed: what a peer does to it cannot make an
/// access here fail. Thread-safety: as a value type; the bytes are anybody's.
class SharedMemory {
public:
  SharedMemory() = default;
  /// RESOURCE_EXHAUSTED where there is not so much memory.
  static StatusOr<SharedMemory> create(const char *name, size_t bytes,
                                       Keep keep);
  /// A peer's, of which `bytes` must be there. INVALID_ARGUMENT where the size
  /// is another or not sealed. The descriptor is closed.
  static StatusOr<SharedMemory> open(FileDescriptor fd, size_t bytes);

  SharedMemory(SharedMemory &&other) noexcept { *this = std::move(other); }
  SharedMemory &operator=(SharedMemory &&other) noexcept;
  ~SharedMemory();

  std::byte *data() const { return address; }
  size_t size() const { return length; }
  int fd() const { return file.get(); }
  /// It was passed on; closes the descriptor.
  void dropFd() { file = FileDescriptor(); }

private:
  Status map(const FileDescriptor &from, size_t bytes);
  std::byte *address = nullptr;
  size_t length = 0;
  FileDescriptor file;
};

} // namespace graphc::runtime

#endif
