// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inspect/ValueObserver.h"

namespace graphc::runtime {

ValueObserver::ValueObserver(const format::Graph &graph,
                             std::vector<KeptValue> values, StepRange steps,
                             OnValue onValue, OnStepEnd onStepEnd)
    : watched(&graph), kept(std::move(values)), steps(steps),
      onValue(std::move(onValue)), onStepEnd(std::move(onStepEnd)) {
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i].when == KeptValue::When::After)
      after[{kept[i].program, kept[i].instruction}].push_back(i);
}

bool ValueObserver::wants(const format::Graph &graph, uint64_t step) {
  return &graph == watched && steps.contains(step + 1);
}

Status ValueObserver::show(size_t index, const StepValues &values) {
  const KeptValue &value = kept[index];
  return onValue(values.step() + 1, value,
                 values.bytes(value.program, value.slot));
}

Status ValueObserver::onBegin(const StepValues &values) {
  late.clear();
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i].when == KeptValue::When::Begin)
      GRAPHC_TRY(show(i, values));
  return Status::ok();
}

Status ValueObserver::onAfter(InstructionId done, bool isSeen,
                              const StepValues &values) {
  auto found = after.find({done.program, done.instruction});
  if (found == after.end())
    return Status::ok();
  for (size_t i : found->second)
    if (isSeen)
      GRAPHC_TRY(show(i, values));
    else
      late.push_back(i);
  return Status::ok();
}

Status ValueObserver::onEnd(const StepValues &values) {
  // Sums of a library, whose target is left alone till it was read; a value
  // whose memory went to others since would not be what it is called.
  for (size_t i : late) {
    const format::Program &program =
        *values.graph().programs()->Get(kept[i].program);
    if (program.slots()->Get(kept[i].slot)->last() + 1 >=
        program.instructions()->size())
      GRAPHC_TRY(show(i, values));
  }
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i].when == KeptValue::When::End)
      GRAPHC_TRY(show(i, values));
  return onStepEnd(values.step() + 1);
}

} // namespace graphc::runtime
