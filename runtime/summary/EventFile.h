// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file of events in the framing of TFRecord, as TensorBoard reads it.
#ifndef GRAPHC_RUNTIME_SUMMARY_EVENTFILE_H
#define GRAPHC_RUNTIME_SUMMARY_EVENTFILE_H

#include "runtime/base/Status.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace graphc::runtime {

/// One record: the length, its masked CRC32C, the bytes, and theirs.
std::string frameRecord(std::string_view bytes);

/// Appends records to a new file. What cannot be written waits, and is tried
/// again with the next records: a disk that was full for a while costs nothing.
/// Thread-safety: one call at a time.
class EventFile {
public:
  /// Makes the folder where it is missing, and in it
  /// "events.out.tfevents.SECONDS.HOST.PID[.N]", a name that no file has.
  /// PERMISSION_DENIED, FAILED_PRECONDITION: they cannot be made.
  static StatusOr<EventFile> create(const std::string &folder);

  EventFile(EventFile &&other) noexcept;
  EventFile &operator=(EventFile &&other) noexcept;
  ~EventFile();

  const std::string &path() const { return filePath; }
  /// Bytes that wait to be written.
  size_t pending() const { return waiting.size(); }
  /// Records that were left out, since too many waited.
  uint64_t lost() const { return lostRecords; }

  /// Keeps a record until write(). While the file cannot be written, those
  /// over 64 MiB are left out.
  void append(std::string_view record);
  /// Writes what waits. RESOURCE_EXHAUSTED, UNAVAILABLE: it waits still, and
  /// the file ends with a whole record.
  Status write();

private:
  EventFile(std::string path, int descriptor)
      : filePath(std::move(path)), descriptor(descriptor) {}
  Status failed(int error);

  std::string filePath;
  int descriptor = -1;
  uint64_t written = 0; ///< bytes in the file
  std::string waiting;
  uint64_t lostRecords = 0;
};

} // namespace graphc::runtime

#endif
