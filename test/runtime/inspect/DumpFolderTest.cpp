// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders of dumps: names of files, their order, and what is left out.
#include "runtime/inspect/DumpFolder.h"

#include "runtime/data/Npy.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

using namespace graphc::runtime;

namespace {

std::string emptyFolder(const std::string &name) {
  std::string folder = testing::TempDir() + "dump-folder-" + name;
  std::filesystem::remove_all(folder);
  return folder;
}

TEST(DumpFolder, ListsStepsByNumber) {
  std::string folder = emptyFolder("list");
  ASSERT_TRUE(prepareDumps(folder).isOk());
  std::vector<NamedTensor> values;
  float element = 1;
  values.push_back({"b/x", HostTensor::of<float>({}, {&element, 1})});
  values.push_back({"a", HostTensor::of<float>({}, {&element, 1})});
  for (uint64_t step : {1000000u, 2u, 12u})
    ASSERT_TRUE(writeDump(dumpPath(folder, step), values).isOk());
  for (const char *other : {"step-.npz", "step-3x.npz", "nan-step-000001.npz",
                            "step-000004.npy", "step-99999999999999999999.npz"})
    std::ofstream(folder + "/" + other) << "?";
  std::vector<DumpFile> files = listDumps(folder);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].step, 2u);
  EXPECT_EQ(files[1].step, 12u);
  EXPECT_EQ(files[2].step, 1000000u);
  EXPECT_EQ(files[0].path, folder + "/step-000002.npz");
  StatusOr<std::vector<NamedTensor>> read = loadNpz(files[0].path);
  ASSERT_TRUE(read.isOk());
  EXPECT_EQ((*read)[0].name, "b/x"); // the order in which they were given
  EXPECT_EQ((*read)[1].name, "a");
}

TEST(DumpFolder, AFileIsNoFolder) {
  std::string folder = emptyFolder("file");
  std::ofstream(folder) << "?";
  Status status = prepareDumps(folder + "/inside");
  EXPECT_EQ(status.code(), StatusCode::PermissionDenied);
  EXPECT_NE(status.message().find("cannot make folder"), std::string::npos);
  EXPECT_TRUE(listDumps(folder + "/inside").empty());
}

} // namespace
