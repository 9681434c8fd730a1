// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/PlacementRules.h"

#include "lib/placement/inputs/DeviceItem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using graphc::runtime::DeviceName;
using graphc::runtime::ParsedDeviceName;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;
using llvm::StringRef;

namespace graphc {

namespace {

constexpr StringRef kSpecial = "\\^$.|?*+()[]{}";

/// Enough for any name, and little enough to match at once.
constexpr size_t kMaxPattern = 1000;
constexpr uint64_t kMaxStates = 10000;

/// llvm::Regex copies what `{m,n}` repeats: counts that multiply would need
/// memory without end.
bool isTooLarge(StringRef text) {
  uint64_t states = text.size();
  StringRef rest = text;
  while (rest.contains('{')) {
    rest = rest.split('{').second;
    StringRef counts =
        rest.take_while([](char c) { return llvm::isDigit(c) || c == ','; });
    StringRef most = counts.substr(counts.rfind(',') + 1);
    unsigned count = 0;
    if (!most.getAsInteger(10, count))
      states *= std::max(count, 1u);
    if (states > kMaxStates)
      return true;
  }
  return text.size() > kMaxPattern;
}

/// '\\1': matching takes time without end, and the parentheses that are added
/// below would change what it means.
bool refersBack(StringRef text) {
  for (size_t i = 0; i + 1 < text.size(); ++i)
    if (text[i] == '\\' && llvm::isDigit(text[++i]))
      return true;
  return false;
}

/// Returns the common prefix of all texts that match. REQUIRES: no '|'.
StringRef literalPrefix(StringRef text) {
  size_t special = text.find_first_of(kSpecial);
  StringRef prefix = text.take_front(special);
  // The last character may be repeated, or left out.
  if (special != StringRef::npos && StringRef("*?+{").contains(text[special]))
    prefix = prefix.drop_back();
  return prefix;
}

std::string formsHint() {
  return "write it as 'name~conv.*=/gpu:0', 'op~MatMul=/gpu:0', "
         "'graph~train=/gpu:0', 'name=EXACT=/gpu:0', or several of these "
         "conditions with '&' between them";
}

Status malformed(std::string why) {
  return runtime::invalidArgument(std::move(why) + "; " + formsHint());
}

/// "name~conv.*", "op=MatMul".
StatusOr<PlacementRule::Condition> parseCondition(StringRef text) {
  size_t sign = text.find_first_of("~=");
  if (sign == StringRef::npos)
    return malformed("'" + text.str() + "' is no condition");
  StringRef field = text.take_front(sign).trim();
  StringRef pattern = text.drop_front(sign + 1).trim();
  PlacementRule::Condition condition;
  if (field == "name")
    condition.field = PlacementRule::Field::Name;
  else if (field == "op")
    condition.field = PlacementRule::Field::Op;
  else if (field == "graph")
    condition.field = PlacementRule::Field::Graph;
  else
    return malformed("there is no field '" + field.str() +
                     "', only name, op and graph");
  if (pattern.empty())
    return malformed("nothing stands after '" + text.trim().str() + "'");
  if (text[sign] == '=') {
    condition.pattern = TextPattern::exactly(pattern);
    return condition;
  }
  GRAPHC_ASSIGN_OR_RETURN(condition.pattern, TextPattern::regex(pattern));
  return condition;
}

StatusOr<DeviceName> parseTarget(StringRef text,
                                 std::optional<std::string> &warning) {
  if (text.empty())
    return runtime::invalidArgument(
        "no device stands after the last '='; write one, or '/' to leave the "
        "ops free");
  GRAPHC_ASSIGN_OR_RETURN(ParsedDeviceName parsed, parseUserDevice(text));
  warning = parsed.warning;
  return parsed.name;
}

bool holds(const PlacementRule::Condition &condition, const RuleSubject &op) {
  const TextPattern &pattern = condition.pattern;
  switch (condition.field) {
  case PlacementRule::Field::Name:
    return pattern.matches(op.name);
  case PlacementRule::Field::Graph:
    return pattern.matches(op.graph);
  case PlacementRule::Field::Op:
    // "MatMul", "tfir.matmul" and "matmul" are the same op.
    return pattern.matches(op.kind) || pattern.matches(op.mnemonic) ||
           pattern.matches(op.mnemonic.split('.').second);
  }
  return false;
}

} // namespace

TextPattern TextPattern::exactly(StringRef text) {
  TextPattern pattern;
  pattern.prefix = text.str();
  return pattern;
}

StatusOr<TextPattern> TextPattern::regex(StringRef text) {
  if (isTooLarge(text))
    return runtime::invalidArgument(
        "a regular expression of " + std::to_string(text.size()) +
        " characters is too large; use at most " + std::to_string(kMaxPattern) +
        ", and '*' for large counts in '{}'");
  if (refersBack(text))
    return runtime::invalidArgument(
        "'" + text.str() +
        "' refers back to a part in parentheses; write that part again");
  // Alone first: in parentheses, "a)(b" would be well formed.
  std::string error;
  if (!llvm::Regex(text).isValid(error))
    return runtime::invalidArgument("'" + text.str() +
                                    "' is no regular expression: " + error +
                                    "; correct it, with '\\' before a "
                                    "character that is meant as it is");
  TextPattern pattern;
  if (!text.contains('|'))
    pattern.prefix = literalPrefix(text).str();
  // Without an end, matching stops at once.
  StringRef head = text;
  bool open =
      !text.contains('|') && !text.ends_with("\\.*") && head.consume_back(".*");
  pattern.open = open;
  if (pattern.prefix != head)
    pattern.expression = std::make_shared<const llvm::Regex>(
        ("^(" + head + (open ? ")" : ")$")).str());
  return pattern;
}

bool TextPattern::matches(StringRef text) const {
  if (!text.starts_with(prefix))
    return false;
  if (expression)
    return expression->match(text);
  return open || text.size() == prefix.size();
}

Status PlacementRules::add(StringRef text, std::string origin,
                           const std::string &where) {
  // No device has a '=', but an expression may.
  size_t last = text.rfind('=');
  if (last == StringRef::npos)
    return malformed("the rule has no '='");
  PlacementRule rule;
  rule.text = text.str();
  rule.origin = std::move(origin);
  std::optional<std::string> warning;
  StringRef target = text.drop_front(last + 1).trim();
  GRAPHC_ASSIGN_OR_RETURN(rule.device, parseTarget(target, warning));
  if (warning)
    notes.push_back(where + ": " + *warning);
  llvm::SmallVector<StringRef> conditions;
  text.take_front(last).split(conditions, '&');
  for (StringRef condition : conditions) {
    GRAPHC_ASSIGN_OR_RETURN(rule.conditions.emplace_back(),
                            parseCondition(condition));
  }
  all.push_back(std::move(rule));
  return Status::ok();
}

StatusOr<PlacementRules>
PlacementRules::parse(llvm::ArrayRef<std::string> place,
                      const std::optional<runtime::TextFile> &file) {
  PlacementRules rules;
  for (const std::string &option : place) {
    StringRef text = StringRef(option).trim();
    std::string where = "--place '" + text.str() + "'";
    Status status = rules.add(text, "--place", where);
    if (!status.isOk())
      return status.annotate(where);
  }
  if (!file)
    return rules;
  int line = 0;
  StringRef rest = file->text;
  while (!rest.empty()) {
    auto [first, others] = rest.split('\n');
    rest = others;
    std::string origin = file->path + ":" + std::to_string(++line);
    size_t comment = first.find('#');
    while (comment != StringRef::npos && comment > 0 &&
           !llvm::isSpace(first[comment - 1]))
      comment = first.find('#', comment + 1);
    StringRef text = first.take_front(comment).trim();
    if (text.empty())
      continue;
    std::string where = origin + ": '" + text.str() + "'";
    Status status = rules.add(text, origin, where);
    if (!status.isOk())
      return status.annotate(where);
  }
  return rules;
}

const PlacementRule *PlacementRules::match(const RuleSubject &op) const {
  for (const PlacementRule &rule : all)
    if (llvm::all_of(rule.conditions, [&](const PlacementRule::Condition &c) {
          return holds(c, op);
        }))
      return &rule;
  return nullptr;
}

} // namespace graphc
