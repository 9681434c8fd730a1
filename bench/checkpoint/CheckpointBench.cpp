// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// checkpoint-bench DIR MEGABYTES ROUNDS: writing and reading a checkpoint
// beside dd with fsync to the same folder and cat from the cache, turn by turn.
// checkpoint-bench --stall MODEL GRAPH STEPS DIR THREADS: how much longer a
// step takes after a checkpoint was begun than one without.
#include "runtime/base/Clock.h"
#include "runtime/checkpoint/CheckpointFolder.h"
#include "runtime/session/LocalSession.h"
#include "runtime/session/train/TrainStore.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
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

void readAll(const std::string &folder, std::vector<NamedTensor> &into) {
  auto reader = openCheckpoint(folder);
  check(reader.status());
  std::map<std::string, HostTensor *> places;
  for (NamedTensor &named : into)
    places[named.name] = &named.tensor;
  check(readEach((*reader)->entries().size(), UINT64_MAX, [&](size_t entry) {
    std::span<std::byte> part =
        places.at((*reader)->entries()[entry].name)->bytes;
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
  std::vector<double> dd, write, writeRatio, cat, read, readRatio;
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
    read.push_back(timed([&] { readAll(folder, tensors); }));
    readRatio.push_back(cat.back() / read.back());
  }
  std::filesystem::remove(source);
  std::filesystem::remove(file);
  std::filesystem::remove_all(folder);
  double size = static_cast<double>(megabytes) * 1e-3;
  std::printf("write: %.2f GB/s, dd with fsync %.2f GB/s, ratio %.2f\n",
              size / median(write), size / median(dd), median(writeRatio));
  std::printf("read:  %.2f GB/s, cat from cache %.2f GB/s, ratio %.2f\n",
              size / median(read), size / median(cat), median(readRatio));
  return 0;
}

/// Every tenth step begins with a checkpoint.
int measureStall(const std::string &model, const std::string &graph, int steps,
                 const std::string &directory, int threads) {
  auto session = LocalSession::open(model, {.threads = threads});
  check(session.status());
  check((*session)->initialize());
  auto store = TrainStore::open(directory, {.keeps = {.last = 1}});
  check(store.status());
  uint64_t bytes = 0;
  for (const graphc::format::Variable *variable :
       *(*session)->model().index().variables())
    bytes += toTensorType(*variable->type()).numBytes();
  std::vector<double> plain, saved, capture;
  for (int step = 0; step < steps; ++step) {
    bool saves = step % 10 == 9;
    if (saves)
      capture.push_back(
          timed([&] { check((*store)->write(**session, graph, step, {})); }));
    double time = timed([&] {
      check((*session)
                ->runSteps({.graph = graph, .steps = 1},
                           [](auto &) { return true; })
                .status());
    });
    if (step > 1)
      (saves ? saved : plain).push_back(time);
    if (saves) // the disk's part is over before the next plain step
      check((*store)->finish());
  }
  double stall = median(saved) + median(capture) - median(plain);
  std::printf("%.0f MB of variables, step %.1f ms, with a checkpoint begun "
              "before it %.1f ms, the call %.2f ms: %.2f ms of stall per 100 "
              "MB\n",
              static_cast<double>(bytes) * 1e-6, median(plain) * 1e3,
              median(saved) * 1e3, median(capture) * 1e3,
              stall * 1e3 / (static_cast<double>(bytes) * 1e-8));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 7 && std::string(argv[1]) == "--stall")
    return measureStall(argv[2], argv[3], std::atoi(argv[4]), argv[5],
                        std::atoi(argv[6]));
  if (argc == 4)
    return compareWithDd(argv[1], std::atoll(argv[2]), std::atoi(argv[3]));
  std::fprintf(stderr,
               "use: checkpoint-bench DIR MEGABYTES ROUNDS\n"
               "     checkpoint-bench --stall MODEL GRAPH STEPS DIR THREADS\n");
  return 2;
}
