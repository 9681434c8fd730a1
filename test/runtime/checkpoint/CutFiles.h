// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file system whose power fails at a chosen moment: bytes that were not
// synced are partly gone then, and so are the last names that were not.
#ifndef GRAPHC_TEST_RUNTIME_CHECKPOINT_CUTFILES_H
#define GRAPHC_TEST_RUNTIME_CHECKPOINT_CUTFILES_H

#include "runtime/checkpoint/FileLayer.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <random>

namespace graphc::test {

using namespace graphc::runtime;

/// Works on real files below a directory. Each byte that is written and each
/// other operation is one moment. Names come and go in their order, as on a
/// file system with a journal.
class CutFiles final : public FileLayer {
public:
  /// The power fails at the moment `moments`. `trash` is for what is removed.
  CutFiles(uint64_t moments, std::string trash, uint32_t seed)
      : left(moments), trash(std::move(trash)), random(seed) {
    std::filesystem::create_directories(this->trash);
  }

  bool isCut() const { return left == 0; }

  StatusOr<std::unique_ptr<OutputFile>>
  create(const std::string &path) override {
    GRAPHC_TRY(tick());
    GRAPHC_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file,
                            systemFiles().create(path));
    lengths[path] = {};
    undo.push_back([path] { std::filesystem::remove(path); });
    return std::unique_ptr<OutputFile>(new File(*this, path, std::move(file)));
  }
  Status makeDirectory(const std::string &path) override {
    GRAPHC_TRY(tick());
    return systemFiles().makeDirectory(path);
  }
  Status rename(const std::string &from, const std::string &to) override {
    GRAPHC_TRY(tick());
    GRAPHC_TRY(systemFiles().rename(from, to));
    moveLengths(from, to);
    undo.push_back([this, from, to] {
      std::filesystem::rename(to, from);
      moveLengths(to, from);
    });
    return Status::ok();
  }
  Status removeTree(const std::string &path) override {
    GRAPHC_TRY(tick());
    if (!std::filesystem::exists(path))
      return Status::ok();
    std::string gone = trash + "/" + std::to_string(removed++);
    std::filesystem::rename(path, gone);
    moveLengths(path, gone);
    undo.push_back([this, path, gone] {
      std::filesystem::rename(gone, path);
      moveLengths(gone, path);
    });
    return Status::ok();
  }
  Status syncDirectory(const std::string &) override {
    GRAPHC_TRY(tick());
    undo.clear();
    return Status::ok();
  }

  /// Leaves what a disk may have after the cut.
  void lose() {
    size_t lost = undo.empty() ? 0 : random() % (undo.size() + 1);
    for (; lost > 0; --lost) {
      undo.back()();
      undo.pop_back();
    }
    for (const auto &[path, length] : lengths)
      if (std::filesystem::exists(path) && length.synced < length.written)
        std::filesystem::resize_file(
            path,
            length.synced + random() % (length.written - length.synced + 1));
  }

private:
  struct Length {
    uint64_t written = 0, synced = 0;
  };

  class File final : public OutputFile {
  public:
    File(CutFiles &files, std::string path, std::unique_ptr<OutputFile> inner)
        : files(files), path(std::move(path)), inner(std::move(inner)) {}
    Status write(std::span<const std::byte> bytes) override {
      uint64_t count = std::min<uint64_t>(bytes.size(), files.left);
      GRAPHC_TRY(inner->write(bytes.first(count)));
      files.lengths[path].written += count;
      files.left -= count;
      return count == bytes.size() && !files.isCut() ? Status::ok()
                                                     : files.cut();
    }
    Status sync() override {
      GRAPHC_TRY(files.tick());
      files.lengths[path].synced = files.lengths[path].written;
      return Status::ok();
    }

  private:
    CutFiles &files;
    std::string path;
    std::unique_ptr<OutputFile> inner;
  };

  Status cut() const { return unavailable("the power is off"); }
  Status tick() {
    if (left > 0)
      --left;
    return isCut() ? cut() : Status::ok();
  }
  /// Files below `from` are below `to` now.
  void moveLengths(const std::string &from, const std::string &to) {
    std::map<std::string, Length> moved;
    for (const auto &[path, length] : lengths) {
      bool isBelow = path == from || path.starts_with(from + "/");
      moved[isBelow ? to + path.substr(from.size()) : path] = length;
    }
    lengths = std::move(moved);
  }

  uint64_t left;
  std::string trash;
  std::mt19937 random;
  uint64_t removed = 0;
  std::map<std::string, Length> lengths;
  std::vector<std::function<void()>> undo; ///< of names that are not synced
};

} // namespace graphc::test

#endif
