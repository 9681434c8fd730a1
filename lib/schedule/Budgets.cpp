// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/schedule/Budgets.h"

#include "lib/placement/inputs/DeviceItem.h"
#include "runtime/base/Texts.h"

using graphc::runtime::DeviceName;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;
using llvm::StringRef;

namespace graphc {

namespace {

constexpr StringRef kForms =
    "write 'link /gpu:*->/cpu:0 <= 4MiB', 'messages /gpu:*->/cpu:0 <= 64' or "
    "'peak /gpu:0 <= 1GiB', with ';' between several";

/// Parts of one text; failures name the column of the part.
class BudgetParser {
public:
  explicit BudgetParser(StringRef text) : text(text) {}

  StatusOr<Budget> parse(StringRef item);

private:
  Status error(StringRef part, const std::string &cause) const {
    return runtime::invalidArgument(
        "--budget '" + text.str() + "': column " +
        std::to_string(part.data() - text.data() + 1) + ": " + cause + "; " +
        kForms.str());
  }
  StatusOr<DeviceName> device(StringRef part) const;
  Status parseDevices(StringRef part, Budget &budget) const;
  StatusOr<int64_t> limit(StringRef part, Budget::Kind kind) const;

  StringRef text;
};

StatusOr<DeviceName> BudgetParser::device(StringRef part) const {
  if (part.empty())
    return error(part, "a device is missing");
  auto name = DeviceName::parse(std::string_view(part));
  if (!name.isOk())
    return error(part, name.status().message());
  return *name;
}

Status BudgetParser::parseDevices(StringRef part, Budget &budget) const {
  size_t arrow = part.find("->");
  if (budget.kind == Budget::Kind::Peak && arrow != StringRef::npos)
    return error(part.substr(arrow), "'peak' bounds devices, not a link");
  if (budget.kind != Budget::Kind::Peak && arrow == StringRef::npos)
    return error(part, "'->' is missing between two devices");
  GRAPHC_ASSIGN_OR_RETURN(budget.source, device(part.substr(0, arrow).trim()));
  if (budget.kind == Budget::Kind::Peak)
    return Status::ok();
  GRAPHC_ASSIGN_OR_RETURN(budget.target, device(part.substr(arrow + 2).trim()));
  return Status::ok();
}

StatusOr<int64_t> BudgetParser::limit(StringRef part, Budget::Kind kind) const {
  int64_t number = 0;
  if (!part.getAsInteger(10, number) && number >= 0)
    return number;
  if (kind == Budget::Kind::Messages)
    return error(part, "'" + part.str() + "' is no number of messages");
  auto bytes = parseByteSize(part);
  if (!bytes.isOk())
    return error(part, bytes.status().message());
  return *bytes;
}

StatusOr<Budget> BudgetParser::parse(StringRef item) {
  Budget budget;
  StringRef word = item.take_until([](char c) { return c == ' '; });
  std::optional<Budget::Kind> kind = tfir::symbolizeBudgetKind(word);
  if (!kind)
    return error(item, "'" + word.str() +
                           "' cannot be bounded; link, messages and peak can");
  budget.kind = *kind;
  StringRef rest = item.drop_front(word.size());
  size_t sign = rest.find("<=");
  if (sign == StringRef::npos)
    return error(rest, "'<=' and a limit are missing");
  GRAPHC_TRY(parseDevices(rest.substr(0, sign).trim(), budget));
  GRAPHC_ASSIGN_OR_RETURN(budget.limit,
                          limit(rest.substr(sign + 2).trim(), budget.kind));
  budget.text = toString(budget);
  return budget;
}

} // namespace

StatusOr<std::vector<Budget>> parseBudgets(StringRef text) {
  BudgetParser parser(text);
  std::vector<Budget> budgets;
  StringRef rest = text;
  while (true) {
    size_t end = rest.find(';');
    StringRef item = rest.substr(0, end).trim();
    GRAPHC_ASSIGN_OR_RETURN(Budget budget, parser.parse(item));
    budgets.push_back(std::move(budget));
    if (end == StringRef::npos)
      return budgets;
    rest = rest.substr(end + 1);
  }
}

std::string toString(const Budget &budget) {
  auto device = [](const DeviceName &name) {
    std::string text = name.toString();
    return text.empty() ? "/" : text;
  };
  std::string limit = budget.kind == Budget::Kind::Messages
                          ? std::to_string(budget.limit)
                          : runtime::binaryBytes(budget.limit);
  std::string devices = device(budget.source);
  if (budget.kind != Budget::Kind::Peak)
    devices += "->" + device(budget.target);
  return tfir::stringifyBudgetKind(budget.kind).str() + " " + devices +
         " <= " + limit;
}

} // namespace graphc
