// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/checkpoint/TensorMatch.h"

#include "runtime/base/Suggest.h"

#include <algorithm>

namespace graphc::runtime {

namespace {

/// Some entries of another reader, under names of their own.
class MatchedReader final : public TensorReader {
public:
  explicit MatchedReader(std::shared_ptr<const TensorReader> reader)
      : inner(std::move(reader)) {}

  void add(std::string name, size_t entry) {
    TensorType type = inner->entries()[entry].type;
    auto at =
        std::lower_bound(types.begin(), types.end(), name,
                         [](const NamedType &named, const std::string &name) {
                           return named.name < name;
                         });
    inners.insert(inners.begin() + (at - types.begin()), entry);
    types.insert(at, {std::move(name), std::move(type)});
  }

  std::string place() const override { return inner->place(); }
  std::span<const NamedType> entries() const override { return types; }
  const Texts &texts() const override { return inner->texts(); }
  Status read(size_t entry,
              std::span<const std::span<std::byte>> parts) const override {
    return inner->read(inners[entry], parts);
  }

private:
  std::shared_ptr<const TensorReader> inner;
  std::vector<NamedType> types;
  std::vector<size_t> inners; ///< entries there, of `types`
};

void addLine(std::string &text, const char *what,
             const std::vector<std::string> &names) {
  if (names.empty())
    return;
  text += text.empty() ? "" : "\n";
  text += what;
  for (const std::string &name : names)
    text += (&name == &names[0] ? " " : ", ") + name;
}

} // namespace

std::string TensorMatch::table() const {
  std::string text;
  addLine(text, "missing in the checkpoint, kept as they are:", missing);
  addLine(text, "new in the checkpoint, left out:", unused);
  addLine(text, "renamed:", renamed);
  addLine(text, "of another shape, kept as they are:", differing);
  return text;
}

StatusOr<std::shared_ptr<const TensorReader>>
matchTensors(std::shared_ptr<const TensorReader> reader,
             std::span<const NamedType> variables, const MatchOptions &options,
             TensorMatch &match) {
  std::span<const NamedType> entries = reader->entries();
  std::map<std::string, size_t> byName;
  std::vector<std::string> there, known;
  for (size_t entry = 0; entry < entries.size(); ++entry) {
    byName[entries[entry].name] = entry;
    there.push_back(entries[entry].name);
  }
  auto matched = std::make_shared<MatchedReader>(reader);
  for (const NamedType &variable : variables) {
    known.push_back(variable.name);
    auto rename = options.renames.find(variable.name);
    bool isRenamed = rename != options.renames.end();
    const std::string &name = isRenamed ? rename->second : variable.name;
    auto found = byName.find(name);
    if (found == byName.end()) {
      if (isRenamed)
        return notFound(
            unknownName("'" + reader->place() + "'", "tensor", name, there));
      match.missing.push_back(variable.name);
      continue;
    }
    const TensorType &type = entries[found->second].type;
    if (options.isPartial && type != variable.type) {
      match.differing.push_back(variable.name + " (" + type.toString() +
                                " there, " + variable.type.toString() +
                                " in the model)");
    } else {
      match.taken.push_back(variable.name);
      if (isRenamed)
        match.renamed.push_back(variable.name + " = " + name);
      matched->add(variable.name, found->second);
    }
    byName.erase(found);
  }
  for (const auto &[ours, theirs] : options.renames)
    if (std::find(known.begin(), known.end(), ours) == known.end())
      return notFound(unknownName("the model", "variable", ours, known));
  for (const auto &[name, entry] : byName) {
    match.unused.push_back(name);
    if (!options.isPartial) // who takes the values says that it is too much
      matched->add(name, entry);
  }
  return std::shared_ptr<const TensorReader>(std::move(matched));
}

} // namespace graphc::runtime
