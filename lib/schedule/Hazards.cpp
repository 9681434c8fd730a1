// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/schedule/Hazards.h"

namespace graphc {

void Hazards::splitAt(int64_t at) {
  auto next = pieces.upper_bound(at);
  if (next == pieces.begin())
    return;
  auto it = std::prev(next);
  if (it->first == at || it->second.end <= at)
    return;
  Piece tail = it->second;
  it->second.end = at;
  pieces.emplace(at, std::move(tail));
}

void Hazards::use(int64_t begin, int64_t end, int64_t instruction, bool writes,
                  std::set<int64_t> &waits) {
  splitAt(begin);
  splitAt(end);
  int64_t at = begin;
  auto it = pieces.lower_bound(begin);
  while (at < end) {
    // Bytes that nobody has used yet become a piece, too.
    if (it == pieces.end() || it->first > at) {
      int64_t stop = it == pieces.end() ? end : std::min(end, it->first);
      it = pieces.emplace(at, Piece{stop, -1, {}}).first;
    }
    Piece &piece = it->second;
    if (piece.writer >= 0 && piece.writer != instruction)
      waits.insert(piece.writer);
    if (writes) {
      for (int64_t reader : piece.readers)
        if (reader != instruction)
          waits.insert(reader);
      piece.writer = instruction;
      piece.readers.clear();
    } else {
      piece.readers.push_back(instruction);
    }
    at = piece.end;
    ++it;
  }
}

} // namespace graphc
