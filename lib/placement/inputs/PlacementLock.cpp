// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/inputs/PlacementLock.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using graphc::runtime::DeviceName;
using graphc::runtime::Status;
using graphc::runtime::StatusOr;

namespace graphc {

namespace {

/// Most errors that are reported: a change moves many ops for one reason.
constexpr size_t kMaxErrors = 10;

Status lineError(const std::string &path, int line, const std::string &what) {
  return runtime::invalidArgument(path + ":" + std::to_string(line) + ": " +
                                  what +
                                  "; write the file anew with --lock=" + path);
}

/// Takes the key, which may stand in quotes, from the front of `rest`.
std::optional<std::string> takeKey(StringRef &rest) {
  if (!rest.consume_front("\"")) {
    auto [key, behind] = rest.split(' ');
    rest = behind;
    return key.str();
  }
  std::string key;
  while (!rest.empty()) {
    char c = rest.front();
    rest = rest.drop_front();
    if (c == '"')
      return key;
    if (c != '\\') {
      key += c;
      continue;
    }
    if (rest.consume_front("\\")) {
      key += '\\';
      continue;
    }
    if (rest.size() < 2 || !llvm::isHexDigit(rest[0]) ||
        !llvm::isHexDigit(rest[1]))
      return std::nullopt;
    key += llvm::hexFromNibbles(rest[0], rest[1]);
    rest = rest.drop_front(2);
  }
  return std::nullopt;
}

} // namespace

StatusOr<PlacementLock> PlacementLock::parse(const runtime::TextFile &file) {
  PlacementLock lock;
  lock.path = file.path;
  StringRef rest = file.text;
  for (int line = 1; !rest.empty(); ++line) {
    StringRef text;
    std::tie(text, rest) = rest.split('\n');
    text = text.trim();
    if (text.empty() || text.starts_with("#"))
      continue;
    std::optional<std::string> key = takeKey(text);
    text = text.trim();
    if (!key || text.empty())
      return lineError(file.path, line,
                       "the line is not a name and a device, such as "
                       "'train/MatMul /job:localhost/replica:0/task:0/"
                       "device:GPU:0'");
    StatusOr<DeviceName> device = DeviceName::parse(text);
    if (!device.isOk())
      return lineError(file.path, line, device.status().message());
    if (!device->isFull())
      return lineError(file.path, line,
                       "'" + text.str() + "' is not the full name of a device");
    auto [entry, isNew] = lock.entries.try_emplace(*key, Entry{*device, line});
    if (!isNew)
      return lineError(file.path, line,
                       "'" + *key + "' is also in line " +
                           std::to_string(entry->second.line));
  }
  return lock;
}

std::string lockKeyOf(const PlacementProblem &problem, uint32_t number) {
  const PlacementNode &node = problem.nodes[number];
  if (node.graph == kNoNode)
    return "@" + node.name.str();
  tfir::GraphOp graph = problem.graphs[node.graph];
  return (graph.getSymName() + "/" + node.name).str();
}

LogicalResult PlacementLock::check(ModuleOp module,
                                   const PlacementProblem &problem,
                                   const Placement &placement) const {
  size_t moved = 0, added = 0, found = 0;
  std::string firstAdded;
  for (uint32_t i = 0; i < problem.nodes.size(); ++i) {
    std::string key = lockKeyOf(problem, i);
    auto entry = entries.find(key);
    if (entry == entries.end()) {
      if (added++ == 0)
        firstAdded = key;
      continue;
    }
    ++found;
    const PlacementNode &node = problem.nodes[i];
    const TargetDevice &device =
        (*problem.devices)[placement.devices[node.group]];
    std::string before = entry->second.device.toString();
    if (device.name == entry->second.device || ++moved > kMaxErrors)
      continue;
    emitError(node.getLoc())
        << "'" << node.name << "' would move from '" << before << "' to '"
        << device.fullName << "', but " << path << ":" << entry->second.line
        << " keeps it; keep it there with --place 'name=" << node.name << "="
        << before << "', or accept the move with --lock=" << path
        << " in place of --locked";
  }
  if (moved > kMaxErrors)
    emitError(module.getLoc())
        << moved << " ops would move in all, " << moved - kMaxErrors
        << " of them are not shown";
  if (moved > 0)
    return failure();
  size_t gone = entries.size() - std::min<size_t>(found, entries.size());
  if (added + gone > 0) {
    InFlightDiagnostic warning = emitWarning(module.getLoc());
    warning << path << " does not list " << added << " ops";
    if (added > 0)
      warning << ", such as '" << firstAdded << "'";
    warning << ", and lists " << gone
            << " that are gone; write it anew with --lock=" << path;
  }
  return success();
}

} // namespace graphc
