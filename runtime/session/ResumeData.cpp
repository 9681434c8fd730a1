// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/session/ResumeData.h"

namespace graphc::runtime {

uint64_t batchesToSkip(const GraphPosition &position,
                       const std::string &dataset, int64_t examples,
                       int64_t batchesPerEpoch, int64_t repeat,
                       const std::function<void(const std::string &)> &note) {
  auto found = position.data.find(dataset);
  if (found == position.data.end() || found->second.batches == 0)
    return 0;
  const GraphPosition::Data &data = found->second;
  std::string why;
  if (data.examples != static_cast<uint64_t>(examples))
    why = "the checkpoint was written with other files (" +
          std::to_string(data.examples) + " examples, here are " +
          std::to_string(examples) + ")";
  else if (repeat > 0 && static_cast<__int128>(batchesPerEpoch) * repeat <=
                             static_cast<__int128>(data.batches))
    why = "they were at their end when the checkpoint was written";
  if (why.empty())
    return data.batches;
  if (note)
    note("the data of '" + dataset + "' begin anew: " + why);
  return 0;
}

std::string noPositionsText(const std::string &path) {
  return "'" + path +
         "' does not say how far its training was, since another "
         "program or an older version wrote it: data and random "
         "numbers begin anew";
}

} // namespace graphc::runtime
