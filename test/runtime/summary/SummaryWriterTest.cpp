// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests SummaryWriter: messages, restarts, folders and disks that refuse.
#include "runtime/summary/SummaryWriter.h"

#include "test/runtime/summary/EventReader.h"

#include <csignal>
#include <filesystem>
#include <sys/resource.h>
#include <thread>

using namespace graphc::runtime;

namespace {

/// A folder of the test, empty.
std::string freshFolder(const std::string &name) {
  std::string folder =
      testing::TempDir() + "/summary-" + name + "-" + std::to_string(getpid());
  std::filesystem::remove_all(folder);
  return folder;
}

/// Events that `write` adds, without the first one of the file.
template <typename Write> std::vector<std::string> eventsOf(Write write) {
  std::string folder = freshFolder("events");
  auto writer = SummaryWriter::open(folder);
  EXPECT_TRUE(writer.isOk());
  write(**writer);
  EXPECT_TRUE((*writer)->close().isOk());
  std::vector<std::string> events = recordsIn((*writer)->path());
  EXPECT_FALSE(events.empty());
  events.erase(events.begin());
  std::filesystem::remove_all(folder);
  return events;
}

TEST(SummaryWriter, FirstEventIsTheVersion) {
  std::string folder = freshFolder("version");
  auto writer = SummaryWriter::open(folder + "/deep");
  ASSERT_TRUE(writer.isOk());
  std::string path = (*writer)->path();
  EXPECT_NE(path.find("/events.out.tfevents."), std::string::npos);
  // It is there at once.
  std::vector<std::string> events = recordsIn(path);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(fieldAt(events[0], {3}), "brain.Event:2");
}

TEST(SummaryWriter, Scalar) {
  auto events = eventsOf([](SummaryWriter &writer) {
    writer.addScalar("/a loss(1)", 0.25, 7, 1234.5);
  });
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(numberOf<double>(fieldAt(events[0], {1})), 1234.5);
  EXPECT_EQ(numberOf<int64_t>(fieldAt(events[0], {2})), 7);
  EXPECT_EQ(fieldAt(events[0], {5, 1, 1}), "a_loss_1_");
  EXPECT_EQ(numberOf<float>(fieldAt(events[0], {5, 1, 2})), 0.25f);
}

TEST(SummaryWriter, TextPrCurveAndHparamsNameTheirPlugins) {
  auto events = eventsOf([](SummaryWriter &writer) {
    std::vector<float> rows = {3, 1, 2, 0};
    std::span<const float> all(rows);
    writer.addText("note", "*x*", 1);
    EXPECT_TRUE(writer
                    .addPrCurve("pr",
                                {all.subspan(0, 2), all.subspan(2, 2),
                                 all.subspan(1, 2), all.subspan(2, 2)},
                                1)
                    .isOk());
    EXPECT_FALSE(
        writer.addPrCurve("pr", {all, all, all, all.first(3)}, 1).isOk());
    writer.addHparams({{"rate", 0.5}, {"graph", std::string("train")}},
                      {"loss"});
    writer.addSessionEnd(true);
  });
  ASSERT_EQ(events.size(), 5u);
  std::vector<uint32_t> plugin = {5, 1, 9, 1, 1};
  EXPECT_EQ(fieldAt(events[0], plugin), "text");
  EXPECT_EQ(fieldAt(events[0], {5, 1, 8, 8}), "*x*");
  EXPECT_EQ(fieldAt(events[1], plugin), "pr_curves");
  std::string rows = fieldAt(events[1], {5, 1, 8, 4});
  ASSERT_EQ(rows.size(), 48u);
  EXPECT_EQ(numberOf<float>(rows.substr(32, 4)), 0.6f); // 3 / (3 + 2)
  for (int i : {2, 3, 4})
    EXPECT_EQ(fieldAt(events[i], plugin), "hparams");
  std::string start = fieldAt(events[3], {5, 1, 9, 1, 2, 3});
  EXPECT_EQ(fieldAt(start, {1, 1}), "graph");
  EXPECT_EQ(fieldAt(start, {1, 2, 3}), "train");
}

TEST(SummaryWriter, ImageAndAudio) {
  std::vector<std::byte> pixels(12, std::byte{200});
  std::vector<float> samples = {0, 1, -2, 0};
  auto events = eventsOf([&](SummaryWriter &writer) {
    EXPECT_TRUE(writer.addImage("i", {2, 2, 3, pixels}, 1).isOk());
    EXPECT_TRUE(writer.addAudio("a", {8000, 2, samples}, 1).isOk());
    Status wrong = writer.addImage("i", {2, 2, 1, pixels}, 1);
    EXPECT_EQ(wrong.message(), "an image of 2 x 2 x 1 bytes has 12");
    wrong = writer.addImage("i", {2, 3, 2, pixels}, 1);
    EXPECT_EQ(wrong.message(), "an image has 2 channels, expected 1, 3 or 4");
    EXPECT_FALSE(writer.addAudio("a", {8000, 3, samples}, 1).isOk());
  });
  ASSERT_EQ(events.size(), 2u);
  std::string png = fieldAt(events[0], {5, 1, 4, 4});
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  std::string wav = fieldAt(events[1], {5, 1, 6, 4});
  ASSERT_EQ(wav.size(), 44u + 8u);
  EXPECT_EQ(numberOf<int16_t>(wav.substr(46, 2)), 32767);
  EXPECT_EQ(numberOf<int16_t>(wav.substr(48, 2)), -32767);
}

TEST(SummaryWriter, GraphHasDevicesAndOnlyInputsThatExist) {
  auto events = eventsOf([](SummaryWriter &writer) {
    writer.addGraph({{"a/x", "Split", "/device:CPU:0", {}},
                     {"b", "Add", "", {"a/x:1", "gone", "^a/x"}}});
    writer.addRunMetadata("step 1", {{"b", "/device:CPU:0", 10, 3, 64}}, 1);
  });
  ASSERT_EQ(events.size(), 2u);
  auto nodes = fieldsOf(fieldAt(events[0], {4}));
  ASSERT_EQ(nodes.count(1), 2u);
  EXPECT_EQ(fieldAt(nodes.find(1)->second, {4}), "/device:CPU:0");
  auto second = fieldsOf(std::next(nodes.find(1))->second);
  EXPECT_EQ(second.count(3), 2u);
  EXPECT_EQ(second.find(3)->second, "a/x:1");
  std::string device = fieldAt(events[1], {8, 2, 1, 1});
  EXPECT_EQ(fieldAt(device, {1}), "/device:CPU:0");
  EXPECT_EQ(fieldAt(device, {2, 1}), "b");
  EXPECT_EQ(numberOf<int64_t>(fieldAt(device, {2, 4})), 3);
}

TEST(SummaryWriter, ARestartIsASessionLogInAFileOfItsOwn) {
  std::string folder = freshFolder("restart");
  auto first = SummaryWriter::open(folder);
  auto second = SummaryWriter::open(folder);
  ASSERT_TRUE(first.isOk() && second.isOk());
  EXPECT_NE((*first)->path(), (*second)->path());
  (*second)->addRestart(12);
  ASSERT_TRUE((*second)->close().isOk());
  auto events = recordsIn((*second)->path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(numberOf<int64_t>(fieldAt(events[1], {2})), 12);
  EXPECT_EQ(numberOf<int64_t>(fieldAt(events[1], {7, 1})), 1);
}

TEST(SummaryWriter, AFolderThatCannotBeMade) {
  std::string folder = freshFolder("file");
  std::ofstream(folder) << "a file";
  auto writer = SummaryWriter::open(folder + "/logs");
  ASSERT_FALSE(writer.isOk());
  EXPECT_NE(writer.status().message().find("cannot make '"), std::string::npos);
  EXPECT_NE(writer.status().message().find("name a folder that can be"),
            std::string::npos);
}

// A limit on the size of files is a disk that is full, and then is not.
TEST(SummaryWriter, AFullDiskCostsNothingOnceThereIsRoom) {
  std::signal(SIGXFSZ, SIG_IGN);
  auto writer = SummaryWriter::open(freshFolder("full"));
  ASSERT_TRUE(writer.isOk());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small{100, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (int step = 1; step <= 10; ++step)
    (*writer)->addScalar("loss", step, step);
  Status full = (*writer)->flush();
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(full.code(), StatusCode::ResourceExhausted);
  EXPECT_NE(full.message().find("make room on its disk"), std::string::npos);
  EXPECT_FALSE((*writer)->status().isOk());
  // No record is there in part.
  EXPECT_EQ(recordsIn((*writer)->path()).size(), 1u);
  EXPECT_TRUE((*writer)->close().isOk());
  EXPECT_EQ(recordsIn((*writer)->path()).size(), 11u);
}

TEST(SummaryWriter, AFullDiskIsAnErrorAtTheEnd) {
  std::signal(SIGXFSZ, SIG_IGN);
  auto writer = SummaryWriter::open(freshFolder("lost"));
  ASSERT_TRUE(writer.isOk());
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small{100, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (int step = 1; step <= 10; ++step)
    (*writer)->addScalar("loss", step, step);
  Status end = (*writer)->close();
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(end.message().substr(0, 28), "the last summaries are lost:");
}

TEST(SummaryWriter, ThreadsAddAtTheSameTime) {
  auto events = eventsOf([](SummaryWriter &writer) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&writer] {
        for (int step = 0; step < 500; ++step)
          writer.addScalar("x", step, step);
      });
    for (std::thread &thread : threads)
      thread.join();
  });
  EXPECT_EQ(events.size(), 2000u);
}

} // namespace
