// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// checkpoint-bench DIR MEGABYTES ROUNDS: writing and reading a checkpoint
// beside dd with fsync to the same folder and cat from the cache, turn by turn.
// checkpoint-bench --stall MODEL GRAPH ROUNDS DIR THREADS: how much longer a
// step takes after a checkpoint was begun than one without, turn by turn.
#include "runtime/base/Clock.h"
#include "runtime/checkpoint/CheckpointFolder.h"
#include "runtime/data/File.h"
#include "runtime/session/LocalSession.h"
#include "runtime/session/train/TrainStore.h"
#include "runtime/state/SnapshotCopy.h"
#include "runtime/target/cpu/DeviceBuffer.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace {

using namespace graphc::runtime;

double seconds(int64_t nanos) { return static_cast<double>(nanos) * 1e-9; }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename F> double timed(F act) {
  int64_t start = nowNanos();
  act();
  return seconds(nowNanos() - start);
}

void check(const Status &status) {
  if (status.isOk())
    return;
  std::fprintf(stderr, "checkpoint-bench: %s\n", status.message().c_str());
  std::exit(1);
}

void shell(const std::string &command) {
  if (std::system(command.c_str()) != 0) {
    std::fprintf(stderr, "checkpoint-bench: failed: %s\n", command.c_str());
    std::exit(1);
  }
}

/// 64 tensors of random bytes, as no disk packs them.
std::vector<NamedTensor> makeTensors(int64_t megabytes) {
  std::vector<NamedTensor> tensors;
  uint64_t state = 1;
  for (int i = 0; i < 64; ++i) {
    HostTensor tensor{{DType::Float32, {megabytes * 1'000'000 / 64 / 4}}, {}};
    tensor.bytes.resize(tensor.type.numBytes());
    for (size_t at = 0; at + 8 <= tensor.bytes.size(); at += 8) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(&tensor.bytes[at], &state, 8);
    }
    tensors.push_back({"v" + std::to_string(i), std::move(tensor)});
  }
  return tensors;
}

/// Memory for the tensors as a session has it for variables.
struct Places {
  explicit Places(const std::vector<NamedTensor> &tensors) {
    size_t bytes = 0;
    for (const NamedTensor &named : tensors)
      bytes += named.tensor.bytes.size() + kAlignment;
    auto made = DeviceBuffer::allocate(bytes, "the variables");
    check(made.status());
    memory = std::move(*made);
    std::byte *next = memory.data();
    for (const NamedTensor &named : tensors) {
      size_t size = named.tensor.bytes.size();
      byName[named.name] = {next, size};
      next += (size + kAlignment - 1) / kAlignment * kAlignment;
    }
  }

  void touch() { std::memset(memory.data(), 1, memory.size()); }

  static constexpr size_t kAlignment = 64;
  DeviceBuffer memory;
  std::map<std::string, std::span<std::byte>> byName;
};

/// `isVerified`: with digests, as a training reads; else the bytes alone.
void readAll(const std::string &folder, Places &places, bool isVerified) {
  std::string file = folder + "/model-00001-of-00001.safetensors";
  auto reader = openCheckpoint(isVerified ? folder : file);
  check(reader.status());
  check(readEach((*reader)->entries().size(), UINT64_MAX, [&](size_t entry) {
    std::span<std::byte> part =
        places.byName.at((*reader)->entries()[entry].name);
    return (*reader)->read(entry, std::span(&part, 1));
  }));
}

int compareWithDd(const std::string &directory, int64_t megabytes, int rounds) {
  std::filesystem::create_directories(directory);
  std::vector<NamedTensor> tensors = makeTensors(megabytes);
  std::vector<OwnedTensor> owned;
  for (const NamedTensor &named : tensors)
    owned.push_back({&named, ""});
  std::string folder = directory + "/checkpoint-1", file = directory + "/dd";
  std::string source = "/dev/shm/checkpoint-bench";
  check(writeCheckpoint(systemFiles(), folder, owned, {}));
  shell("cp " + folder + "/model-00001-of-00001.safetensors " + source);
  std::vector<double> dd, write, writeRatio, cat, first, read, plain,
      firstRatio, readRatio, plainRatio;
  for (int round = 0; round < rounds; ++round) {
    auto runDd = [&] {
      std::filesystem::remove(file);
      dd.push_back(timed([&] {
        shell("dd if=" + source + " of=" + file +
              " bs=1M conv=fsync status=none");
      }));
    };
    auto runWrite = [&] {
      std::filesystem::remove_all(folder);
      write.push_back(timed(
          [&] { check(writeCheckpoint(systemFiles(), folder, owned, {})); }));
    };
    if (round % 2 == 0) {
      runDd();
      runWrite();
    } else {
      runWrite();
      runDd();
    }
    writeRatio.push_back(dd.back() / write.back());
    cat.push_back(timed([&] { shell("cat " + file + " > /dev/null"); }));
    // So that new pages are new to this process alone: what a virtual machine
    // gets from its host at the first touch takes ten times as long.
    Places(tensors).touch();
    Places places(tensors);
    first.push_back(timed([&] { readAll(folder, places, true); }));
    read.push_back(timed([&] { readAll(folder, places, true); }));
    plain.push_back(timed([&] { readAll(folder, places, false); }));
    firstRatio.push_back(cat.back() / first.back());
    readRatio.push_back(cat.back() / read.back());
    plainRatio.push_back(cat.back() / plain.back());
  }
  std::filesystem::remove(source);
  std::filesystem::remove(file);
  std::filesystem::remove_all(folder);
  double size = static_cast<double>(megabytes) * 1e-3;
  std::printf("write: %.2f GB/s, dd with fsync %.2f GB/s, ratio %.2f\n",
              size / median(write), size / median(dd), median(writeRatio));
  std::printf("read:  cat from cache %.2f GB/s\n", size / median(cat));
  auto show = [&](const char *what, const std::vector<double> &times,
                  const std::vector<double> &ratios) {
    std::printf("       %-34s %.2f GB/s, ratio %.2f\n", what,
                size / median(times), median(ratios));
  };
  show("to new memory, with digests", first, firstRatio);
  show("to memory in use, with digests", read, readRatio);
  show("to memory in use, without", plain, plainRatio);
  return 0;
}

/// A step without a checkpoint and one with a checkpoint begun before it, turn
/// by turn; nothing is written while the other one is measured.
int measureStall(const std::string &model, const std::string &graph, int rounds,
                 const std::string &directory, int threads) {
  SessionOptions options;
  options.threads = threads;
  auto session = LocalSession::open(model, options);
  check(session.status());
  check((*session)->initialize());
  auto store = TrainStore::open(directory, {.keeps = {.last = 1}});
  check(store.status());
  uint64_t bytes = 0, number = 0;
  for (const graphc::format::Variable *variable :
       *(*session)->model().index().variables())
    bytes += toTensorType(*variable->type()).numBytes();
  auto step = [&] {
    return timed([&] {
      check((*session)
                ->runSteps({.graph = graph, .steps = 1},
                           [](auto &) { return true; })
                .status());
    });
  };
  auto save = [&] {
    return timed(
        [&] { check((*store)->write(**session, graph, ++number, {})); });
  };
  save(); // makes the memory for the copy, as the first one of a training does
  check((*store)->finish());
  step();
  std::vector<double> plain, saved, call, stall;
  for (int round = 0; round < rounds; ++round) {
    bool isFirst = round % 2 == 0; // the plain step
    if (isFirst)
      plain.push_back(step());
    call.push_back(save());
    saved.push_back(call.back() + step());
    check((*store)->finish());
    step(); // what the writer left in caches is gone
    if (!isFirst)
      plain.push_back(step());
    stall.push_back(saved.back() - plain.back());
  }
  double hundreds = static_cast<double>(bytes) * 1e-8;
  std::printf("%.0f MB of variables, step %.1f ms, with a checkpoint begun "
              "before it %.1f ms, the call %.2f ms: %.2f ms of stall per 100 "
              "MB\n",
              hundreds * 100, median(plain) * 1e3, median(saved) * 1e3,
              median(call) * 1e3, median(stall) * 1e3 / hundreds);
  // The same bytes, copied by as many threads and nothing beside them.
  size_t half = bytes / 2 / 64 * 64;
  std::vector<std::byte> from, to;
  check(resizeBytes(from, half, "the copy"));
  check(resizeBytes(to, half, "the copy"));
  std::vector<double> copied;
  for (int round = 0; round < rounds; ++round)
    copied.push_back(timed([&] {
      SnapshotCopy copy([] {});
      copy.add(from, to);
      copy.finish(threads);
    }));
  std::printf("a copy alone on %d threads: %.2f ms per 100 MB\n", threads,
              median(copied) * 1e3 / (static_cast<double>(half) * 1e-8));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 7 && std::string(argv[1]) == "--stall")
    return measureStall(argv[2], argv[3], std::atoi(argv[4]), argv[5],
                        std::atoi(argv[6]));
  if (argc == 4)
    return compareWithDd(argv[1], std::atoll(argv[2]), std::atoi(argv[3]));
  std::fprintf(
      stderr, "use: checkpoint-bench DIR MEGABYTES ROUNDS\n"
              "     checkpoint-bench --stall MODEL GRAPH ROUNDS DIR THREADS\n");
  return 2;
}
