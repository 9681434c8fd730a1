// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/summary/EventFile.h"

#include "runtime/base/Crc32c.h"
#include "runtime/base/Texts.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace graphc::runtime {

namespace {
constexpr size_t kMaxPending = 64 << 20;
constexpr mode_t kMode = 0644;

uint32_t maskedCrcOf(std::string_view bytes) {
  return maskedCrc32c(std::as_bytes(std::span(bytes)));
}

template <typename T> void appendRaw(std::string &to, T value) {
  to.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

std::string baseName() {
  char host[256] = "";
  if (gethostname(host, sizeof(host) - 1) != 0 || host[0] == 0)
    std::strcpy(host, "localhost");
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%010lld",
                static_cast<long long>(std::time(nullptr)));
  return std::string("events.out.tfevents.") + seconds + "." + host + "." +
         std::to_string(getpid());
}

Status cannotMake(const std::string &path, int error) {
  std::string text = "cannot make " + quote(path) +
                     " for summaries: " + std::strerror(error) +
                     "; name a folder that can be written to";
  return error == EACCES || error == EPERM || error == EROFS
             ? permissionDenied(text)
             : failedPrecondition(text);
}
} // namespace

std::string frameRecord(std::string_view bytes) {
  std::string framed;
  framed.reserve(bytes.size() + 16);
  appendRaw<uint64_t>(framed, bytes.size());
  appendRaw<uint32_t>(framed, maskedCrcOf(framed));
  framed += bytes;
  appendRaw<uint32_t>(framed, maskedCrcOf(bytes));
  return framed;
}

StatusOr<EventFile> EventFile::create(const std::string &folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return cannotMake(folder, error.value());
  std::string base = folder + "/" + baseName();
  for (int number = 0;; ++number) {
    std::string path = number ? base + "." + std::to_string(number) : base;
    int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (descriptor >= 0)
      return EventFile(std::move(path), descriptor);
    if (errno != EEXIST)
      return cannotMake(path, errno);
  }
}

EventFile::EventFile(EventFile &&other) noexcept
    : filePath(std::move(other.filePath)), descriptor(other.descriptor),
      written(other.written), waiting(std::move(other.waiting)),
      lostRecords(other.lostRecords) {
  other.descriptor = -1;
}

EventFile &EventFile::operator=(EventFile &&other) noexcept {
  std::swap(filePath, other.filePath);
  std::swap(descriptor, other.descriptor);
  std::swap(written, other.written);
  std::swap(waiting, other.waiting);
  std::swap(lostRecords, other.lostRecords);
  return *this;
}

EventFile::~EventFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

void EventFile::append(std::string_view record) {
  if (waiting.size() + record.size() > kMaxPending && !waiting.empty()) {
    ++lostRecords;
    return;
  }
  waiting += frameRecord(record);
}

Status EventFile::failed(int error) {
  // A record that is there in part would hide all that follow it.
  std::string cause = std::strerror(error);
  if (ftruncate(descriptor, static_cast<off_t>(written)) != 0)
    cause += std::string("; nor can it be cut: ") + std::strerror(errno);
  std::string text = "cannot write summaries to " + quote(filePath) + ": " +
                     cause + "; make room on its disk";
  return error == ENOSPC || error == EDQUOT || error == EFBIG
             ? resourceExhausted(text)
             : unavailable(text);
}

Status EventFile::write() {
  size_t done = 0;
  while (done < waiting.size()) {
    ssize_t count =
        ::pwrite(descriptor, waiting.data() + done, waiting.size() - done,
                 static_cast<off_t>(written + done));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return failed(count < 0 ? errno : ENOSPC);
    done += static_cast<size_t>(count);
  }
  written += done;
  waiting.clear();
  return Status::ok();
}

} // namespace graphc::runtime
