// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/target/cuda/program/CollectivePlan.h"

#include "runtime/format/InstructionUses.h"
#include "runtime/format/Quote.h"
#include "runtime/target/cuda/library/Nccl.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

bool shareBytes(const format::Slot &a, const format::Slot &b) {
  if (a.kind() != b.kind())
    return false;
  if (a.kind() == format::SlotKind::Variable)
    return a.index() == b.index();
  return a.kind() == format::SlotKind::Arena &&
         a.offset() < b.offset() + b.size() &&
         b.offset() < a.offset() + a.size();
}

/// The first instruction after an AllReduce that needs its sum or overwrites
/// what it reads; else the program's last one, where fetches are taken. What
/// only serves an AllReduce is not done.
uint32_t findUse(const format::Program &program, uint32_t reduce) {
  const auto &instructions = *program.instructions();
  const auto &slots = *program.slots();
  const format::AllReduce &sum =
      *instructions.Get(reduce)->action_as_AllReduce();
  uint32_t i = reduce + 1;
  for (; i + 1 < instructions.size(); ++i) {
    const format::Instruction &each = *instructions.Get(i);
    if (each.collective() != 0)
      continue;
    bool isUse = false;
    auto meets = [&](uint32_t slot, uint32_t other) {
      return shareBytes(*slots.Get(slot), *slots.Get(other));
    };
    forEachOperand(each,
                   [&](uint32_t slot) { isUse |= meets(slot, sum.target()); });
    forEachWrite(each, [&](uint32_t slot) {
      isUse |= meets(slot, sum.target()) || meets(slot, sum.source());
    });
    if (isUse)
      break;
  }
  return i;
}

/// The GPU of a program; null: it is not on one of this process.
const CudaPlanDevice *planDeviceOf(const format::Graph &graph, uint32_t program,
                                   const ModelDevices &gpus) {
  return CudaPlanDevice::find(gpus, *graph.programs()->Get(program));
}

std::string deviceText(const format::Graph &graph, uint32_t program,
                       const ModelDevices &gpus) {
  return quote(gpus.nameOfDevice(*graph.programs()->Get(program)));
}

Status checkTerms(const format::Graph &graph, const SumTerms &terms,
                  const ModelDevices &gpus) {
  std::map<int, uint32_t> programOn; // by GPU
  for (const SumTerm &term : terms) {
    const format::Program &program = *graph.programs()->Get(term.program);
    const CudaPlanDevice *planDevice = planDeviceOf(graph, term.program, gpus);
    if (!planDevice)
      return failedPrecondition(deviceText(graph, term.program, gpus) +
                                " is no GPU of this process");
    int number = planDevice->device().facts().number;
    auto [other, isFirst] = programOn.try_emplace(number, term.program);
    if (!isFirst)
      return failedPrecondition(deviceText(graph, other->second, gpus) +
                                " and " +
                                deviceText(graph, term.program, gpus) +
                                " share GPU " + std::to_string(number));
    if (term.use >= program.instructions()->size())
      return failedPrecondition("it is the last instruction on " +
                                deviceText(graph, term.program, gpus));
  }
  return Status::ok();
}

} // namespace

std::map<uint32_t, SumTerms> collectivesOf(const format::Graph &graph,
                                           const ModelDevices &gpus) {
  std::map<uint32_t, SumTerms> sums;
  for (uint32_t p = 0; p < graph.programs()->size(); ++p) {
    const format::Program &program = *graph.programs()->Get(p);
    for (uint32_t i = 0; i < program.instructions()->size(); ++i)
      if (const auto *sum =
              program.instructions()->Get(i)->action_as_AllReduce())
        sums[sum->collective()].push_back({p, i, findUse(program, i)});
  }
  std::erase_if(sums, [&](const auto &sum) {
    return std::ranges::none_of(sum.second, [&](const SumTerm &term) {
      return planDeviceOf(graph, term.program, gpus);
    });
  });
  return sums;
}

Status checkLibrary(const format::Graph &graph,
                    const std::map<uint32_t, SumTerms> &sums,
                    const ModelDevices &gpus) {
  for (const auto &[number, terms] : sums)
    GRAPHC_TRY(checkTerms(graph, terms, gpus));
  return Nccl::load().status();
}

std::vector<std::string> describeCollectives(const Model &model,
                                             const ModelDevices &gpus) {
  std::vector<std::string> lines;
  for (const format::Graph *graph : *model.index().graphs()) {
    std::map<uint32_t, SumTerms> sums = collectivesOf(*graph, gpus);
    if (sums.empty())
      continue;
    std::string line = "all-reduce: ";
    Status status = checkLibrary(*graph, sums, gpus);
    std::set<const CudaPlanDevice *> planDevices;
    for (const auto &[number, terms] : sums)
      for (const SumTerm &term : terms)
        planDevices.insert(planDeviceOf(*graph, term.program, gpus));
    line += status.isOk() ? "NCCL " + (*Nccl::load())->version() + ", " +
                                std::to_string(planDevices.size()) + " GPUs"
                          : "as compiled; " + status.message();
    if (std::ranges::find(lines, line) == lines.end())
      lines.push_back(line);
  }
  return lines;
}

} // namespace graphc::runtime
