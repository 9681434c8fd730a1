// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profile/StepRecord.h"

#include <algorithm>
#include <map>

namespace graphc::runtime {

namespace {

bool isValid(const StepDependences &step, const InstructionSpan &span) {
  return span.id.program < step.programCount() &&
         span.id.instruction <
             step.endOf(span.id.program) - step.firstOf(span.id.program) &&
         span.beginNanos >= 0 && span.endNanos >= span.beginNanos;
}

} // namespace

std::vector<StepRecord> recordsOf(const StepDependences &step,
                                  std::span<const InstructionSpan> spans) {
  std::map<uint64_t, StepRecord> records;
  for (const InstructionSpan &span : spans) {
    if (!isValid(step, span))
      continue;
    auto [it, isNew] = records.try_emplace(span.step);
    StepRecord &record = it->second;
    if (isNew) {
      record.step = span.step;
      record.beginNanos = span.beginNanos;
      record.endNanos = span.endNanos;
      record.begins.assign(step.size(), StepRecord::kNotRecorded);
      record.ends.assign(step.size(), StepRecord::kNotRecorded);
    }
    record.beginNanos = std::min(record.beginNanos, span.beginNanos);
    record.endNanos = std::max(record.endNanos, span.endNanos);
    record.begins[step.indexOf(span.id)] = span.beginNanos;
    record.ends[step.indexOf(span.id)] = span.endNanos;
  }
  std::vector<StepRecord> sorted;
  for (auto &[_, record] : records)
    sorted.push_back(std::move(record));
  return sorted;
}

} // namespace graphc::runtime
