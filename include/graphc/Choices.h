// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that are one of several words: an enumeration and a table of names
// each, from which flags of tools, options of passes and their help follow.
#ifndef GRAPHC_INCLUDE_GRAPHC_CHOICES_H
#define GRAPHC_INCLUDE_GRAPHC_CHOICES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/CommandLine.h"

#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// A value of an enumeration as users write it.
template <typename Enum> struct NamedChoice {
  Enum value;
  llvm::StringLiteral name;
  llvm::StringLiteral note = ""; ///< for help pages, without parentheses
};

/// The table of an enumeration, in the order of help pages; specialised below.
template <typename Enum> struct Choices;

/// Phase of the compiler, with the form of a module that it promises. The
/// number is that of the dump file (`03-differentiated.mlir`) and leaves room
/// for the phases between them.
enum class Phase {
  Parsed = 1,         ///< static shapes, names, no device scopes
  Differentiated = 2, ///< no gradients; variables are updated by tfir.apply
  Replicated = 3,     ///< towers; state is read at the top, written at the end
  Placed = 4,         ///< every op and variable is on a device
  Partitioned = 5,    ///< one graph per device, with sends and recvs
  Lowered = 6,        ///< launches of kernels; kernels are linalg
  Scheduled = 7,      ///< programs over slots
  Compiled = 8,       ///< machine code
};
template <> struct Choices<Phase> {
  static constexpr NamedChoice<Phase> kAll[] = {
      {Phase::Parsed, "parsed",
       "no device scopes; every shape static; every operation named"},
      {Phase::Differentiated, "differentiated",
       "no gradients, losses, averages or short forms; tfir.apply updates "
       "variables"},
      {Phase::Replicated, "replicated",
       "towers; updates are arithmetic; a variable is read once at the top and "
       "written once at the end"},
      {Phase::Placed, "placed", "every operation and variable is on a device"},
      {Phase::Partitioned, "partitioned",
       "one graph per device; what crosses is sent and received"},
      {Phase::Lowered, "lowered",
       "a graph holds launches, state, constants and reshapes; kernels are "
       "linalg on tensors"},
      {Phase::Scheduled, "scheduled", "programs over slots; no graph is left"},
      {Phase::Compiled, "compiled", "machine code; no kernel is left"}};
};

/// Decision to make towers of graphs.
enum class Replicate { Auto, None, Towers };
template <> struct Choices<Replicate> {
  static constexpr NamedChoice<Replicate> kAll[] = {
      {Replicate::Auto, "auto"},
      {Replicate::None, "none"},
      {Replicate::Towers, "towers"}};
};

/// Sum of gradients over towers; Auto is decided by their bytes. Nccl is a ring
/// that a library can take the place of; Hierarchical is rings within tasks,
/// then among them.
enum class Reduce { Auto, Ps, Ring, Tree, Hierarchical, Nccl };
template <> struct Choices<Reduce> {
  static constexpr NamedChoice<Reduce> kAll[] = {
      {Reduce::Ps, "ps"},
      {Reduce::Ring, "ring"},
      {Reduce::Tree, "tree"},
      {Reduce::Hierarchical, "hierarchical",
       "rings within each task, then among tasks"},
      {Reduce::Nccl, "nccl",
       "a library where the runtime finds it, else a ring"},
      {Reduce::Auto, "auto"}};
};

/// Division of feeds: towers share the rows of one, or each has its own.
enum class FeedMode { Split, PerTower };
template <> struct Choices<FeedMode> {
  static constexpr NamedChoice<FeedMode> kAll[] = {
      {FeedMode::Split, "split"}, {FeedMode::PerTower, "per-tower"}};
};

/// Order of the micro-batches of a pipeline on each device: all forward passes,
/// then all backward passes; or, once the first is back, one of each in turn.
enum class PipelineSchedule { Gpipe, OneFOneB };
template <> struct Choices<PipelineSchedule> {
  static constexpr NamedChoice<PipelineSchedule> kAll[] = {
      {PipelineSchedule::Gpipe, "gpipe", "all forward passes first"},
      {PipelineSchedule::OneFOneB, "1f1b",
       "forward and backward passes in turn"}};
};

/// Graphs of a cluster: one for all workers, or one for each.
enum class ReplicationMode { InGraph, BetweenGraph };
template <> struct Choices<ReplicationMode> {
  static constexpr NamedChoice<ReplicationMode> kAll[] = {
      {ReplicationMode::InGraph, "in-graph"},
      {ReplicationMode::BetweenGraph, "between-graph"}};
};

/// Updates by workers with graphs of their own: each by itself, or by the
/// gradients of some together. None: there are no such graphs, or they
/// update nothing.
enum class Coordination { None, Async, Quorum };
template <> struct Choices<Coordination> {
  static constexpr NamedChoice<Coordination> kAll[] = {
      {Coordination::None, "none"},
      {Coordination::Async, "async"},
      {Coordination::Quorum, "quorum"}};
};

/// Choice among the devices that constraints leave to an op.
enum class PolicyKind { FirstGpu, Spread, PsRoundRobin, PsByBytes, Cost };
template <> struct Choices<PolicyKind> {
  static constexpr NamedChoice<PolicyKind> kAll[] = {
      {PolicyKind::FirstGpu, "first-gpu"},
      {PolicyKind::Spread, "spread"},
      {PolicyKind::PsRoundRobin, "ps-round-robin"},
      {PolicyKind::PsByBytes, "ps-by-bytes"},
      {PolicyKind::Cost, "cost"}};
};

/// Rounding of operands by libraries of GPUs.
enum class MatmulPrecision { F32, Tf32, Bf16 };
template <> struct Choices<MatmulPrecision> {
  static constexpr NamedChoice<MatmulPrecision> kAll[] = {
      {MatmulPrecision::F32, "f32"},
      {MatmulPrecision::Tf32, "tf32"},
      {MatmulPrecision::Bf16, "bf16"}};
};

/// Floats that products are made of and that follow from them: f32, or 16 bits
/// with sums, variables and updates in f32.
enum class Precision { F32, Bf16, F16 };
template <> struct Choices<Precision> {
  static constexpr NamedChoice<Precision> kAll[] = {{Precision::F32, "f32"},
                                                    {Precision::Bf16, "bf16"},
                                                    {Precision::F16, "f16"}};
};

/// Floats as which f32 values go from task to task.
enum class WireFormat { F32, Bf16 };
template <> struct Choices<WireFormat> {
  static constexpr NamedChoice<WireFormat> kAll[] = {
      {WireFormat::F32, "f32"}, {WireFormat::Bf16, "bf16"}};
};

/// Effort of LLVM for kernels of CPUs: as little as it can, which takes half of
/// the time, or all that makes them fast. A product and a sum that the latter
/// rounds once, the former may round twice.
enum class OptLevel { None, Full };
template <> struct Choices<OptLevel> {
  static constexpr NamedChoice<OptLevel> kAll[] = {{OptLevel::None, "0"},
                                                   {OptLevel::Full, "3"}};
};

/// Effect of the warnings of lint: they are printed, or compilation fails.
enum class LintMode { Print, Error };
template <> struct Choices<LintMode> {
  static constexpr NamedChoice<LintMode> kAll[] = {{LintMode::Print, "print"},
                                                   {LintMode::Error, "error"}};
};

/// Form of the module that a rule of lint looks at.
enum class LintStage {
  Parsed, ///< as the user wrote it, with static shapes and names
  Placed  ///< every op and variable has a device
};
template <> struct Choices<LintStage> {
  static constexpr NamedChoice<LintStage> kAll[] = {
      {LintStage::Parsed, "parsed"}, {LintStage::Placed, "placed"}};
};

/// The value's name in its table.
template <typename Enum> constexpr llvm::StringLiteral choiceName(Enum value) {
  for (const NamedChoice<Enum> &choice : Choices<Enum>::kAll)
    if (choice.value == value)
      return choice.name;
  return "";
}

/// The value with that name, if there is one.
template <typename Enum> std::optional<Enum> parseChoice(llvm::StringRef name) {
  for (const NamedChoice<Enum> &choice : Choices<Enum>::kAll)
    if (choice.name == name)
      return choice.value;
  return std::nullopt;
}

/// The value's note in its table.
template <typename Enum> constexpr llvm::StringLiteral choiceNote(Enum value) {
  for (const NamedChoice<Enum> &choice : Choices<Enum>::kAll)
    if (choice.value == value)
      return choice.note;
  return "";
}

/// All names, in the order of help pages.
template <typename Enum> std::vector<std::string> choiceNames() {
  std::vector<std::string> names;
  for (const NamedChoice<Enum> &choice : Choices<Enum>::kAll)
    names.push_back(choice.name.str());
  return names;
}

/// "ps, ring (with its note) or auto".
template <typename Enum> std::string describeChoices() {
  std::string text;
  llvm::ArrayRef<NamedChoice<Enum>> all = Choices<Enum>::kAll;
  for (const NamedChoice<Enum> &choice : all) {
    if (&choice != all.begin())
      text += &choice == &all.back() ? " or " : ", ";
    text += choice.name;
    if (!choice.note.empty())
      text += " (" + choice.note.str() + ")";
  }
  return text;
}

/// An enumeration with a table.
template <typename Enum>
concept NamedEnum = requires { Choices<Enum>::kAll; };

} // namespace graphc

namespace llvm::cl {

/// Makes such an enumeration a type of options of passes.
template <graphc::NamedEnum Enum>
class parser<Enum> : public basic_parser<Enum> {
public:
  using basic_parser<Enum>::basic_parser;

  /// True after an error, as LLVM has it.
  bool parse(Option &option, StringRef, StringRef text, Enum &value) {
    std::optional<Enum> choice = graphc::parseChoice<Enum>(text);
    if (!choice)
      return option.error("'" + text + "' is none of " +
                          join(graphc::choiceNames<Enum>(), ", "));
    value = *choice;
    return false;
  }
  StringRef getValueName() const override {
    static const std::string kNames = join(graphc::choiceNames<Enum>(), "|");
    return kNames;
  }
  void printOptionDiff(const Option &option, Enum,
                       const typename basic_parser<Enum>::OptVal &,
                       size_t width) const {
    this->printOptionName(option, width);
  }
  static void print(raw_ostream &stream, Enum value) {
    stream << graphc::choiceName(value);
  }
};

/// The same for options that may be left out.
template <graphc::NamedEnum Enum>
class parser<std::optional<Enum>> : public basic_parser<std::optional<Enum>> {
public:
  using basic_parser<std::optional<Enum>>::basic_parser;

  /// True after an error, as LLVM has it.
  bool parse(Option &option, StringRef name, StringRef text,
             std::optional<Enum> &value) {
    return parser<Enum>(option).parse(option, name, text, value.emplace());
  }
  StringRef getValueName() const override {
    static const std::string kNames = join(graphc::choiceNames<Enum>(), "|");
    return kNames;
  }
  void
  printOptionDiff(const Option &option, const std::optional<Enum> &,
                  const typename basic_parser<std::optional<Enum>>::OptVal &,
                  size_t width) const {
    this->printOptionName(option, width);
  }
  static void print(raw_ostream &stream, const std::optional<Enum> &value) {
    if (value)
      stream << graphc::choiceName(*value);
  }
};

} // namespace llvm::cl

#endif
