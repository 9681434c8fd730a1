// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/CheckpointStore.h"

#include "runtime/checkpoint/Safetensors.h"

#include <filesystem>

namespace graphc::runtime {

namespace {

class FileStore final : public CheckpointStore {
public:
  explicit FileStore(std::string path) : path(std::move(path)) {}

  std::string name() const override { return path; }
  bool exists() override {
    std::error_code error;
    return std::filesystem::exists(path, error);
  }
  StatusOr<Texts> texts() override { return readSafetensorsMetadata(path); }
  StatusOr<Texts> load(Session &session) override {
    Texts texts;
    GRAPHC_TRY(session.load(path, &texts));
    return texts;
  }
  Status write(Session &session, const std::string &, uint64_t,
               const Texts &texts) override {
    return session.save(path, texts);
  }
  Status finish() override { return Status::ok(); }

private:
  std::string path;
};

} // namespace

std::shared_ptr<CheckpointStore> checkpointFile(std::string path) {
  return std::make_shared<FileStore>(std::move(path));
}

} // namespace graphc::runtime
