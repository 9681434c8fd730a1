// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/data/pipeline/CachedRows.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace graphc::runtime {

CachedRows::CachedRows(std::unique_ptr<ExampleRows> inner,
                       std::vector<size_t> rowBytes, size_t oneRow, size_t kept)
    : inner(std::move(inner)), rowBytes(std::move(rowBytes)), oneRow(oneRow),
      kept(kept), states(new std::atomic<State>[kept]()) {}

CachedRows::~CachedRows() {
  if (memory)
    ::munmap(memory, kept * oneRow);
}

StatusOr<std::unique_ptr<ExampleRows>>
CachedRows::wrap(std::unique_ptr<ExampleRows> inner,
                 std::vector<size_t> rowBytes, uint64_t limitBytes) {
  size_t oneRow = 0;
  for (size_t bytes : rowBytes)
    oneRow += bytes;
  auto rows = static_cast<size_t>(inner->rows());
  size_t kept = oneRow == 0 ? 0 : std::min<uint64_t>(rows, limitBytes / oneRow);
  if (kept == 0)
    return inner;
  std::unique_ptr<CachedRows> cached(
      new CachedRows(std::move(inner), std::move(rowBytes), oneRow, kept));
  // Pages are taken when they are written.
  void *memory = ::mmap(nullptr, kept * oneRow, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return resourceExhausted("the cache of a dataset needs " +
                             std::to_string(kept * oneRow) +
                             " bytes; declare a smaller one");
  cached->memory = static_cast<std::byte *>(memory);
  return std::unique_ptr<ExampleRows>(std::move(cached));
}

void CachedRows::load(int64_t row, std::span<std::byte *const> to) const {
  const std::byte *from = memory + static_cast<size_t>(row) * oneRow;
  for (size_t f = 0; f < rowBytes.size(); from += rowBytes[f++])
    if (rowBytes[f] > 0)
      std::memcpy(to[f], from, rowBytes[f]);
}

void CachedRows::keep(int64_t row, std::span<std::byte *const> from) const {
  if (static_cast<size_t>(row) >= kept)
    return;
  std::atomic<State> &state = states[static_cast<size_t>(row)];
  State absent = State::Absent;
  if (!state.compare_exchange_strong(absent, State::Writing))
    return;
  std::byte *to = memory + static_cast<size_t>(row) * oneRow;
  for (size_t f = 0; f < rowBytes.size(); to += rowBytes[f++])
    if (rowBytes[f] > 0)
      std::memcpy(to, from[f], rowBytes[f]);
  state.store(State::Present, std::memory_order_release);
}

Status CachedRows::gather(std::span<const int64_t> rows,
                          std::span<std::byte *const> fields) const {
  static thread_local std::vector<std::byte *> to;
  to.assign(fields.begin(), fields.end());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (has(rows[i])) {
      load(rows[i], to);
    } else {
      GRAPHC_TRY(inner->gather(rows.subspan(i, 1), to));
      keep(rows[i], to);
    }
    for (size_t f = 0; f < rowBytes.size(); ++f)
      to[f] += rowBytes[f];
  }
  return Status::ok();
}

} // namespace graphc::runtime
