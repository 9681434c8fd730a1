// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/profile/RunProfile.h"

#include "report/Report.h"
#include "runtime/format/InstructionUses.h"
#include "runtime/format/ModelNames.h"
#include "runtime/format/PlanSlice.h"

namespace graphc::run {

using namespace runtime;

namespace {

/// The name of an instruction that those of all towers share.
std::string sharedName(const format::Instruction &instruction) {
  std::string name(withoutTower(nameOf(instruction)));
  EdgeUses uses = edgesOf(instruction);
  if (uses.edges)
    return name + (uses.isSend ? " (send)" : " (receive)");
  return instruction.action_as_Copy() ? name + " (copy)" : name;
}

std::vector<std::string> linesOf(const Model &model) {
  std::vector<std::string> lines(1);
  const format::Blob *source = model.index().source();
  if (!source)
    return {};
  for (std::byte byte : model.blob(*source)) {
    char character = static_cast<char>(byte);
    if (character == '\n')
      lines.emplace_back();
    else
      lines.back() += character == '\t' || character == '\r' ? ' ' : character;
  }
  return lines;
}

} // namespace

RunProfile::RunProfile(const ProfileData &data)
    : source(data), step(StepDependences::of(*data.graph)),
      records(recordsOf(step, data.spans)), lines(linesOf(*data.model)) {}

std::vector<ProfileRow> RunProfile::rows(ProfileKey key) const {
  return tabulate(source.model->index(), *source.graph, source.times, key);
}

template <typename Name>
std::vector<std::string> RunProfile::names(Name nameOf) const {
  std::vector<std::string> names;
  names.reserve(step.size());
  for (uint32_t index = 0; index < step.size(); ++index)
    names.push_back(
        nameOf(step.programOf(index), instructionAt(step.idOf(index))));
  return names;
}

CriticalPath RunProfile::criticalPath() const {
  return criticalPathOf(step, records,
                        names([](uint32_t, const auto &instruction) {
                          return sharedName(instruction);
                        }),
                        source.threadGroups);
}

std::vector<ProgramTime> RunProfile::programTimes() const {
  return runtime::programTimes(step, records);
}

PeerBalance RunProfile::towers() const {
  return balanceOf(step, records, names([](uint32_t, const auto &instruction) {
                     std::optional<uint32_t> tower =
                         towerOf(nameOf(instruction));
                     bool isTransfer = edgesOf(instruction).edges;
                     return tower && !isTransfer
                                ? "tower_" + std::to_string(*tower)
                                : std::string();
                   }));
}

PeerBalance RunProfile::tasks() const {
  const format::Model &model = source.model->index();
  return balanceOf(step, records, names([&](uint32_t program, const auto &) {
                     return taskOfDevice(deviceOf(
                         model, *source.graph->programs()->Get(program)));
                   }));
}

double RunProfile::stepNanos() const {
  double sum = 0;
  for (const StepRecord &record : records)
    sum += static_cast<double>(record.nanos());
  return records.empty() ? 0 : sum / static_cast<double>(records.size());
}

std::string RunProfile::deviceText(uint32_t program) const {
  if (source.graph->programs()->size() < 2)
    return "";
  return report::shortDevice(
      deviceOf(source.model->index(), *source.graph->programs()->Get(program)));
}

const format::Instruction &RunProfile::instructionAt(InstructionId id) const {
  return *source.graph->programs()
              ->Get(id.program)
              ->instructions()
              ->Get(id.instruction);
}

std::string RunProfile::lineText(uint32_t line) const {
  if (line == 0 || line > lines.size())
    return "";
  const std::string &text = lines[line - 1];
  size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos)
    return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

} // namespace graphc::run
