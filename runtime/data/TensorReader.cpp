// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/TensorReader.h"

#include "runtime/base/ThreadAnnotations.h"
#include "runtime/data/File.h"
#include "runtime/data/TypeCheck.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <tuple>

namespace graphc::runtime {

StatusOr<HostTensor> readTensor(const TensorReader &reader, size_t entry) {
  const NamedType &named = reader.entries()[entry];
  HostTensor tensor{named.type, {}};
  GRAPHC_TRY(resizeBytes(tensor.bytes, named.type.numBytes(), reader.place()));
  std::span<std::byte> part = tensor.bytes;
  GRAPHC_TRY(reader.read(entry, std::span(&part, 1)));
  return tensor;
}

StatusOr<std::vector<NamedTensor>> readTensors(const TensorReader &reader) {
  std::vector<NamedTensor> tensors;
  for (size_t entry = 0; entry < reader.entries().size(); ++entry) {
    GRAPHC_ASSIGN_OR_RETURN(HostTensor tensor, readTensor(reader, entry));
    tensors.push_back({reader.entries()[entry].name, std::move(tensor)});
  }
  return tensors;
}

Status readEach(size_t count, uint64_t bytes,
                const std::function<Status(size_t)> &read) {
  constexpr uint64_t kBytesPerThread = 16'000'000;
  constexpr size_t kMostThreads = 8; // more than what memory keeps busy
  std::atomic<size_t> next{0};
  Mutex mutex;
  Status failure;
  auto work = [&] {
    for (size_t i; (i = next.fetch_add(1)) < count;) {
      Status status = read(i);
      if (status.isOk())
        continue;
      next.store(count);
      MutexLock lock(mutex);
      if (failure.isOk())
        failure = status;
    }
  };
  size_t most =
      std::min({count, static_cast<size_t>(bytes / kBytesPerThread),
                size_t{std::thread::hardware_concurrency()}, kMostThreads});
  std::vector<std::thread> threads;
  try {
    for (size_t i = 1; i < most; ++i)
      threads.emplace_back(work);
  } catch (const std::system_error &) { // fewer do it as well
  }
  work();
  for (std::thread &thread : threads)
    thread.join();
  return failure;
}

TensorList::TensorList(std::span<const NamedTensor> tensors, std::string place)
    : origin(std::move(place)) {
  std::vector<const NamedTensor *> order;
  for (const NamedTensor &named : tensors)
    order.push_back(&named);
  std::sort(order.begin(), order.end(),
            [](const NamedTensor *a, const NamedTensor *b) {
              return std::tie(a->name, a) < std::tie(b->name, b);
            });
  for (const NamedTensor *named : order) {
    values.push_back(&named->tensor);
    types.push_back({named->name, named->tensor.type});
  }
}

Status TensorList::read(size_t entry,
                        std::span<const std::span<std::byte>> parts) const {
  GRAPHC_TRY(checkBools(*values[entry], types[entry].name));
  std::span<const std::byte> rest = values[entry]->bytes;
  for (std::span<std::byte> part : parts) {
    std::copy_n(rest.begin(), part.size(), part.begin());
    rest = rest.subspan(part.size());
  }
  return Status::ok();
}

} // namespace graphc::runtime
