// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests what a cache finds, and when it must not.
#include "lib/target/cache/CodeCache.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

namespace graphc {
namespace {

using Code = CodeCache::Code;

Code codeOf(llvm::StringRef text) { return Code(text.begin(), text.end()); }

class CodeCacheTest : public testing::Test {
protected:
  CodeCacheTest() {
    std::filesystem::remove_all(folder);
    key = CodeCache::keyOf(codeOf("source"), "x86-64-v3");
  }
  ~CodeCacheTest() override { std::filesystem::remove_all(folder); }

  std::string onlyFile() const {
    std::filesystem::directory_iterator files(folder), end;
    std::string path = files->path();
    EXPECT_EQ(++files, end);
    return path;
  }

  std::string folder =
      testing::TempDir() + "/code-cache-" + std::to_string(getpid()) + "/below";
  std::string key;
};

TEST_F(CodeCacheTest, FindsInAnotherRunWhatWasAdded) {
  CodeCache first(folder);
  EXPECT_FALSE(first.find(key));
  first.add(key, codeOf("code"));
  EXPECT_EQ(first.failure(), "");
  CodeCache second(folder);
  EXPECT_EQ(second.find(key), codeOf("code"));
  EXPECT_FALSE(second.find(CodeCache::keyOf(codeOf("source"), "x86-64-v4")));
  EXPECT_FALSE(second.find(CodeCache::keyOf(codeOf("sourcf"), "x86-64-v3")));
}

TEST_F(CodeCacheTest, KeepsEmptyCode) {
  CodeCache cache(folder);
  cache.add(key, {});
  EXPECT_EQ(cache.find(key), Code());
}

TEST_F(CodeCacheTest, KeyTellsSourceFromSettings) {
  EXPECT_NE(CodeCache::keyOf(codeOf("ab"), "c"),
            CodeCache::keyOf(codeOf("b"), "ca"));
  EXPECT_NE(CodeCache::keyOf(codeOf("ab"), "c"),
            CodeCache::keyOf(codeOf("a"), "cb"));
}

TEST_F(CodeCacheTest, DoesNotFindWhatWasCutShortOrChanged) {
  CodeCache cache(folder);
  cache.add(key, codeOf("code"));
  std::string path = onlyFile();
  auto whole = std::filesystem::file_size(path);
  for (uintmax_t size = 0; size < whole; ++size) {
    std::filesystem::resize_file(path, size);
    EXPECT_FALSE(cache.find(key)) << size;
    cache.add(key, codeOf("code"));
    EXPECT_EQ(cache.find(key), codeOf("code"));
  }
  for (uintmax_t at = 0; at < whole; ++at) {
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(at));
      char byte = static_cast<char>(file.get() ^ 1);
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
    }
    EXPECT_FALSE(cache.find(key)) << at;
    cache.add(key, codeOf("code"));
  }
}

TEST_F(CodeCacheTest, DoesNotFindTheFileOfAnotherKey) {
  CodeCache cache(folder);
  cache.add(key, codeOf("code"));
  std::string path = onlyFile();
  std::string other = CodeCache::keyOf(codeOf("source"), "x86-64-v4");
  std::string otherPath = path;
  otherPath.replace(path.find(key), key.size(), other);
  std::filesystem::rename(path, otherPath);
  EXPECT_FALSE(cache.find(other));
}

TEST_F(CodeCacheTest, SaysWhyItCannotBeWritten) {
  std::filesystem::create_directories(
      std::filesystem::path(folder).parent_path());
  std::ofstream(folder) << "a file";
  CodeCache cache(folder);
  cache.add(key, codeOf("code"));
  EXPECT_EQ(cache.failure(), "Not a directory");
  EXPECT_FALSE(cache.find(key));
  cache.prune();
}

TEST_F(CodeCacheTest, WithoutAFolderItHasNothing) {
  CodeCache cache("");
  cache.add(key, codeOf("code"));
  EXPECT_EQ(cache.failure(), "");
  EXPECT_FALSE(cache.find(key));
}

TEST_F(CodeCacheTest, TakesOutWhatWasNotUsedForAWeek) {
  CodeCache cache(folder);
  cache.add(key, codeOf("code"));
  std::string path = onlyFile();
  std::string used = CodeCache::keyOf(codeOf("used"), "x86-64-v3");
  cache.add(used, codeOf("code"));
  timespec old[2] = {{time(nullptr) - 8 * 86400, 0},
                     {time(nullptr) - 8 * 86400, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), old, 0), 0);
  cache.prune();
  EXPECT_FALSE(cache.find(key));
  EXPECT_TRUE(cache.find(used));
}

TEST_F(CodeCacheTest, SeveralMayWriteAndReadAtOnce) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      CodeCache cache(folder);
      for (int round = 0; round < 50; ++round) {
        cache.add(key, codeOf("code"));
        EXPECT_EQ(cache.find(key), codeOf("code"));
      }
      EXPECT_EQ(cache.failure(), "");
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace graphc
