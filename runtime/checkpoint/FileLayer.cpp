// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/FileLayer.h"

#include "runtime/base/SystemError.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace graphc::runtime {

namespace {

Status statusOf(const char *what, const std::string &path,
                const std::error_code &error) {
  return error ? systemError(what, path, error.value()) : Status::ok();
}

class SystemFile final : public OutputFile {
public:
  SystemFile(std::string path, int descriptor)
      : path(std::move(path)), descriptor(descriptor) {}
  ~SystemFile() override { ::close(descriptor); }

  Status write(std::span<const std::byte> bytes) override {
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
  Status sync() override {
    return ::fsync(descriptor) == 0 ? Status::ok()
                                    : systemError("cannot write", path, errno);
  }

private:
  std::string path;
  int descriptor;
};

class SystemFiles final : public FileLayer {
public:
  StatusOr<std::unique_ptr<OutputFile>>
  create(const std::string &path) override {
    // No link of that name leads to a file elsewhere.
    int descriptor =
        ::open(path.c_str(),
               O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0)
      return systemError("cannot write", path, errno);
    return std::unique_ptr<OutputFile>(new SystemFile(path, descriptor));
  }
  Status makeDirectory(const std::string &path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    return statusOf("cannot make the directory", path, error);
  }
  Status rename(const std::string &from, const std::string &to) override {
    std::error_code error;
    std::filesystem::rename(from, to, error);
    return statusOf("cannot write", to, error);
  }
  Status removeTree(const std::string &path) override {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    return statusOf("cannot remove", path, error);
  }
  Status syncDirectory(const std::string &path) override {
    int opened = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0)
      return systemError("cannot sync the directory", path, errno);
    int error = ::fsync(opened) == 0 ? 0 : errno;
    ::close(opened);
    // Some file systems have nothing to sync in a directory.
    return error == 0 || error == EINVAL
               ? Status::ok()
               : systemError("cannot sync the directory", path, error);
  }
};

} // namespace

FileLayer &systemFiles() {
  static SystemFiles files;
  return files;
}

Status replaceText(FileLayer &files, const std::string &path,
                   const std::string &text) {
  std::string temporary = path + ".tmp";
  {
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file,
                            files.create(temporary));
    GRAPHC_TRY(file->write(std::as_bytes(std::span(text))));
    GRAPHC_TRY(file->sync());
  }
  GRAPHC_TRY(files.rename(temporary, path));
  std::string directory = std::filesystem::path(path).parent_path();
  return files.syncDirectory(directory.empty() ? "." : directory);
}

} // namespace graphc::runtime
