// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The user's rules for devices, the first that matches an op counts:
//
//   name~conv.*=/gpu:0                 regular expression over the op's name
//   op~MatMul&graph~train=/gpu:1       all conditions hold
//   name=fc1/MatMul=/job:ps/cpu:0      exactly this name
//   name~.*bias=/                      these are left free
#ifndef GRAPHC_LIB_PLACEMENT_INPUTS_PLACEMENTRULES_H
#define GRAPHC_LIB_PLACEMENT_INPUTS_PLACEMENTRULES_H

#include "runtime/base/DeviceName.h"
#include "runtime/json/JsonFile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphc {

/// Properties of an op that a rule can match.
struct RuleSubject {
  llvm::StringRef name;     ///< "tower_0/conv1/Conv2D"
  llvm::StringRef kind;     ///< as TensorFlow calls it, "MatMul"
  llvm::StringRef mnemonic; ///< as tfir does, "tfir.matmul"
  llvm::StringRef graph;    ///< "train"
};

/// A text, or a POSIX extended regular expression (llvm::Regex) that fits the
/// whole text. The common "abc" and "abc.*" cost no more than a comparison.
class TextPattern {
public:
  static TextPattern exactly(llvm::StringRef text);
  /// InvalidArgument names what is wrong with the expression.
  static runtime::StatusOr<TextPattern> regex(llvm::StringRef text);

  bool matches(llvm::StringRef text) const;

private:
  std::string prefix; ///< what every match starts with
  bool open = false;  ///< anything may follow
  std::shared_ptr<const llvm::Regex> expression; ///< null: prefix and open do
};

struct PlacementRule {
  enum class Field { Name, Op, Graph };
  struct Condition {
    Field field;
    TextPattern pattern;
  };

  std::string text;           ///< as the user wrote it
  std::string origin;         ///< "--place" or "rules.txt:3"
  runtime::DeviceName device; ///< what the rule requests
  std::vector<Condition> conditions;
};

/// Thread-safety: immutable once made.
class PlacementRules {
public:
  /// No rules.
  PlacementRules() = default;

  /// Those of --place before those of the file, which has one per line; a #
  /// at the start of a line or after a blank begins a comment.
  /// InvalidArgument names the rule, its origin, the cause and the cure.
  static runtime::StatusOr<PlacementRules>
  parse(llvm::ArrayRef<std::string> place,
        const std::optional<runtime::TextFile> &file);

  /// The first rule all of whose conditions hold, or null.
  const PlacementRule *match(const RuleSubject &op) const;

  const std::vector<PlacementRule> &rules() const { return all; }
  bool empty() const { return all.empty(); }

  /// Suggestions for better spellings of devices.
  const std::vector<std::string> &warnings() const { return notes; }

private:
  /// `where` is for messages.
  runtime::Status add(llvm::StringRef text, std::string origin,
                      const std::string &where);

  std::vector<PlacementRule> all;
  std::vector<std::string> notes;
};

} // namespace graphc

#endif
