// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-diff-values/DiffTable.h"

#include "runtime/base/Glob.h"
#include "runtime/base/Texts.h"
#include "runtime/inspect/ValueElements.h"
#include "runtime/inspect/ValueStats.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace graphc::diffvalues {

using namespace runtime;

namespace {

std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

/// Keeps what is found until all of it can be aligned.
class Differ {
public:
  explicit Differ(const DiffOptions &options) : options(options) {}

  void compareSets(uint64_t step, std::vector<NamedTensor> a,
                   std::vector<NamedTensor> b);
  void addMissingStep(uint64_t step, const std::string &path);
  /// True: something differs. INVALID_ARGUMENT: nothing was compared.
  StatusOr<bool> print() const;

private:
  using Row = std::vector<std::string>;

  bool isWanted(const std::string &name) const {
    return options.match.empty() ||
           std::any_of(options.match.begin(), options.match.end(),
                       [&](const std::string &pattern) {
                         return matchesOpName(pattern, name);
                       });
  }
  void compare(uint64_t step, const NamedTensor &a, const NamedTensor &b);
  void add(uint64_t step, const std::string &name, Row rest,
           const std::string &sentence);

  const DiffOptions &options;
  std::vector<Row> rows;
  std::string firstSentence;
  size_t compared = 0, differing = 0;
};

std::string stepText(uint64_t step) {
  return step ? std::to_string(step) : "-";
}

void Differ::add(uint64_t step, const std::string &name, Row rest,
                 const std::string &sentence) {
  if (differing++ == 0)
    firstSentence = (step ? "step " + std::to_string(step) + ", " : "") +
                    quote(name) + " " + sentence;
  if (static_cast<int64_t>(rows.size()) >= options.rows)
    return;
  Row row{stepText(step), escape(name)};
  row.insert(row.end(), rest.begin(), rest.end());
  rows.push_back(std::move(row));
}

void Differ::compare(uint64_t step, const NamedTensor &a,
                     const NamedTensor &b) {
  ++compared;
  const TensorType &type = a.tensor.type;
  if (type != b.tensor.type) {
    std::string types = type.toString() + " and " + b.tensor.type.toString();
    add(step, a.name, {types}, "is " + types);
    return;
  }
  ValueDiff diff = diffValues(a.tensor, b.tensor, options.limits);
  if (diff.differing == 0)
    return;
  auto elements = [&](uint64_t at) {
    return placeText(type, at) + " " + elementText(elementOf(a.tensor, at)) +
           " and " + elementText(elementOf(b.tensor, at));
  };
  std::string share =
      std::to_string(diff.differing) + "/" + std::to_string(diff.count);
  std::string ulps = numberText(ulpsBetween(a.tensor, b.tensor, diff.first));
  add(step, a.name,
      {type.toString(), share, elements(diff.first), ulps,
       numberText(diff.maxAbsolute), numberText(diff.maxRelative),
       numberText(diff.maxUlps), elements(diff.worst)},
      "differs in " + share + " elements, the first is " +
          elements(diff.first) + " (" + ulps + " ulps)");
}

void Differ::compareSets(uint64_t step, std::vector<NamedTensor> a,
                         std::vector<NamedTensor> b) {
  std::map<std::string, const NamedTensor *> others;
  for (const NamedTensor &value : b)
    others[value.name] = &value;
  for (const NamedTensor &value : a) {
    if (!isWanted(value.name))
      continue;
    auto other = others.find(value.name);
    if (other == others.end()) {
      ++compared;
      add(step, value.name, {"only in " + options.a},
          "is only in " + quote(options.a));
      continue;
    }
    compare(step, value, *other->second);
    others.erase(other);
  }
  for (const NamedTensor &value : b)
    if (others.count(value.name) && isWanted(value.name)) {
      ++compared;
      add(step, value.name, {"only in " + options.b},
          "is only in " + quote(options.b));
    }
}

void Differ::addMissingStep(uint64_t step, const std::string &path) {
  add(step, "all values", {"only in " + path}, "are only in " + quote(path));
}

StatusOr<bool> Differ::print() const {
  if (compared == 0 && differing == 0)
    return invalidArgument(
        options.match.empty()
            ? quote(options.a) + " and " + quote(options.b) + " hold no values"
            : "no value fits --match=" + quote(options.match.front()));
  if (differing == 0) {
    std::printf("no difference in %zu values\n", compared);
    return false;
  }
  std::printf("first difference: %s\n", firstSentence.c_str());
  std::vector<Row> all{{"step", "value", "type", "differ", "first", "ulps",
                        "max abs", "max rel", "max ulps", "worst"}};
  all.insert(all.end(), rows.begin(), rows.end());
  std::vector<size_t> widths(all.front().size());
  for (const Row &row : all)
    for (size_t i = 0; i + 1 < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  for (const Row &row : all) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + (i + 1 < row.size()
                            ? std::string(widths[i] - row[i].size() + 2, ' ')
                            : "");
    std::printf("%s\n", line.c_str());
  }
  if (differing > rows.size())
    std::printf("... and %zu more (--rows)\n", differing - rows.size());
  std::printf("%zu of %zu values differ\n", differing,
              std::max(compared, differing));
  return true;
}

Status compareSteps(const ValueSource &a, const ValueSource &b,
                    Differ &differ) {
  size_t i = 0, j = 0;
  while (i < a.sets().size() || j < b.sets().size()) {
    bool hasA = i < a.sets().size(), hasB = j < b.sets().size();
    uint64_t x = hasA ? a.sets()[i].step : UINT64_MAX;
    uint64_t y = hasB ? b.sets()[j].step : UINT64_MAX;
    if (hasA && hasB && x == y) {
      GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> left,
                              a.read(a.sets()[i]));
      GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> right,
                              b.read(b.sets()[j]));
      differ.compareSets(x, std::move(left), std::move(right));
    } else {
      differ.addMissingStep(std::min(x, y), x < y ? a.path() : b.path());
    }
    i += hasA && x <= y;
    j += hasB && y <= x;
  }
  return Status::ok();
}

} // namespace

StatusOr<bool> diffSources(const DiffOptions &options) {
  GRAPHC_ASSIGN_OR_RETURN(ValueSource a, ValueSource::open(options.a));
  GRAPHC_ASSIGN_OR_RETURN(ValueSource b, ValueSource::open(options.b));
  Differ differ(options);
  if (a.hasSteps() && b.hasSteps()) {
    GRAPHC_TRY(compareSteps(a, b, differ));
    return differ.print();
  }
  if (a.hasSteps() || b.hasSteps()) {
    const ValueSource &many = a.hasSteps() ? a : b;
    if (many.sets().size() > 1)
      return invalidArgument(
          quote(many.path()) + " has the values of " +
          std::to_string(many.sets().size()) +
          " steps, the other of one; name one of its files, such as " +
          quote(many.sets().front().path));
  }
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> left,
                          a.read(a.sets().front()));
  GRAPHC_ASSIGN_OR_RETURN(std::vector<NamedTensor> right,
                          b.read(b.sets().front()));
  differ.compareSets(0, std::move(left), std::move(right));
  return differ.print();
}

} // namespace graphc::diffvalues
