// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files are read whole or refused with a reason, and replaced whole or not.
#include "runtime/data/File.h"
#include "test/runtime/data/FileBytes.h"

#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace graphc::runtime;
using namespace graphc::test;

namespace {

Status replace(const std::string &path, const Bytes &first,
               const Bytes &second = {}) {
  std::array<std::span<const std::byte>, 2> parts{first, second};
  return replaceFile(path, parts);
}

TEST(File, ReplacesAndLeavesNothingBehind) {
  TestDirectory directory;
  std::string path = directory.write("a", "old content");
  ASSERT_TRUE(replace(path, toBytes("new "), toBytes("content")).isOk());
  EXPECT_EQ(directory.read("a"), toBytes("new content"));
  EXPECT_EQ(directory.names(), std::vector<std::string>{"a"});
}

TEST(File, KeepsTheOldFileWhenItCannotReplaceIt) {
  TestDirectory directory;
  std::filesystem::create_directory(directory / "a");
  EXPECT_FALSE(replace(directory / "a", toBytes("x")).isOk());
  EXPECT_EQ(directory.names(), std::vector<std::string>{"a"});
  expectFailure(replace(directory / "b/c", toBytes("x")), StatusCode::NotFound,
                {"cannot write", "b/c'", "check the path"});
}

TEST(File, WritesToADeviceAndLeavesItThere) {
  EXPECT_TRUE(replace("/dev/null", toBytes("new")).isOk());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  expectFailure(replace("/dev/full", toBytes("new")),
                StatusCode::ResourceExhausted,
                {"cannot write '/dev/full': No space left on device"});
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(File, ReplacesWhatALinkNames) {
  TestDirectory directory;
  directory.write("file", "old");
  std::filesystem::create_symlink("file", directory / "link");
  ASSERT_TRUE(replace(directory / "link", toBytes("new")).isOk());
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "link"));
  EXPECT_EQ(directory.read("file"), toBytes("new"));
  EXPECT_EQ(directory.names().size(), 2u);
}

TEST(File, GetsAroundWhatACrashLeftBehind) {
  TestDirectory directory;
  std::string left = "a.tmp-" + std::to_string(::getpid()) + "-0";
  directory.write(left, "half");
  ASSERT_TRUE(replace(directory / "a", toBytes("whole")).isOk());
  EXPECT_EQ(directory.read("a"), toBytes("whole"));
  EXPECT_EQ(directory.read(left), toBytes("half"));
}

TEST(File, DevicesGetTheBytesAndStay) {
  struct stat before{};
  ASSERT_EQ(::stat("/dev/null", &before), 0);
  EXPECT_TRUE(replace("/dev/null", toBytes("x")).isOk());
  expectFailure(replace("/dev/full", toBytes("x")),
                StatusCode::ResourceExhausted, {"cannot write '/dev/full'"});
  for (const char *path : {"/dev/null", "/dev/full"}) {
    struct stat after{};
    ASSERT_EQ(::stat(path, &after), 0);
    EXPECT_TRUE(S_ISCHR(after.st_mode));
  }
}

TEST(File, APipeGetsTheBytes) {
  TestDirectory directory;
  std::string path = directory / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(replace(path, toBytes("new "), toBytes("content")).isOk());
  std::array<char, 32> text{};
  EXPECT_EQ(::read(reader, text.data(), text.size()), 11);
  EXPECT_STREQ(text.data(), "new content");
  ::close(reader);
  EXPECT_EQ(directory.names(), std::vector<std::string>{"pipe"});
}

TEST(File, SaysWhyItCannotRead) {
  TestDirectory directory;
  expectFailure(readFileBytes(directory / "none").status(),
                StatusCode::NotFound,
                {"cannot read '", "none'", "No such file"});
  expectFailure(readFileBytes(directory / "").status(),
                StatusCode::InvalidArgument, {"it is a directory"});
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  expectFailure(readFileBytes(directory / "pipe").status(),
                StatusCode::InvalidArgument, {"not an ordinary file"});
  expectFailure(readFileBytes(directory.write("file", "") + "/x").status(),
                StatusCode::NotFound, {"Not a directory"});
}

TEST(File, SaysWhatItMayNotRead) {
  if (::geteuid() == 0)
    GTEST_SKIP() << "root may read everything";
  TestDirectory directory;
  std::string path = directory.write("secret", "x");
  ASSERT_EQ(::chmod(path.c_str(), 0), 0);
  expectFailure(readFileBytes(path).status(), StatusCode::PermissionDenied,
                {"secret'", "check the permissions"});
}

TEST(File, SaysWhereItWasCut) {
  TestDirectory directory;
  auto file = InputFile::open(directory.write("a", "12345"));
  ASSERT_TRUE(file.isOk());
  Bytes buffer(3);
  EXPECT_TRUE(file->readAt(2, buffer).isOk());
  EXPECT_EQ(buffer, toBytes("345"));
  expectFailure(file->readAt(4, buffer), StatusCode::DataLoss,
                {"ends at byte 5", "3 bytes are wanted from byte 4"});
}

TEST(File, SaysWhenMemoryDoesNotSuffice) {
  Bytes bytes;
  expectFailure(resizeBytes(bytes, UINT64_MAX, "x.npy"),
                StatusCode::ResourceExhausted,
                {"'x.npy' needs 18446744073709551615 bytes"});
}

} // namespace
