// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/placement/Conflicts.h"

#include "lib/placement/DeviceRequests.h"
#include "lib/placement/MinimalConflict.h"
#include "lib/placement/OpKernels.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace mlir;
using graphc::runtime::DeviceName;

namespace graphc {

using namespace tfir;

namespace {

/// Most members of a group that an error lists.
constexpr size_t kMaxMembers = 20;
/// Most constraints that it lists.
constexpr size_t kMaxNotes = 40;

class ConflictReport {
public:
  ConflictReport(PlacementProblem &problem, ArrayRef<uint32_t> members,
                 ArrayRef<PlacementLink> links, bool soft)
      : problem(problem), members(members), links(links), soft(soft),
        search(problem, members, links, soft) {}

  void emit();

private:
  std::string nodeText(uint32_t node) const;
  std::string kernelsText(uint32_t node) const;
  std::string requestsText(uint32_t node) const;
  std::string headline() const;
  std::string contradiction() const;
  std::string requestFix(uint32_t node);
  std::string kernelFix(uint32_t node) const;
  void noteRequest(InFlightDiagnostic &error, uint32_t node);
  void noteKernel(InFlightDiagnostic &error, uint32_t node);
  void noteLink(InFlightDiagnostic &error, const PlacementLink &link);
  void noteGroup(Diagnostic &note) const;
  bool softHelps();

  PlacementProblem &problem;
  ArrayRef<uint32_t> members;
  ArrayRef<PlacementLink> links;
  bool soft;
  ConflictSearch search;
  std::vector<PlacementConstraint> conflict;
  SmallVector<uint32_t> requests, kernels; ///< nodes of the conflict
};

std::string ConflictReport::nodeText(uint32_t node) const {
  const PlacementNode &of = problem.nodes[node];
  return ("'" + of.name + "' (" + of.kind + ")").str();
}

std::string ConflictReport::kernelsText(uint32_t node) const {
  return kindsText(kernelKinds(problem.nodes[node].op, *problem.kernels));
}

/// "requests '/device:GPU:0'".
std::string ConflictReport::requestsText(uint32_t node) const {
  const PlacementNode &of = problem.nodes[node];
  bool isAssigned = of.request == RequestKind::Assigned;
  return (isAssigned ? "is assigned to " : "requests ") +
         requestText(problem, of);
}

/// Of the first two names that cannot both be, what is different.
std::string ConflictReport::contradiction() const {
  for (size_t i = 0; i < std::min(requests.size(), kMaxMembers); ++i) {
    for (size_t j = 0; j < i; ++j) {
      auto both = runtime::mergeDeviceNames(
          problem.specs[problem.nodes[requests[j]].spec],
          problem.specs[problem.nodes[requests[i]].spec]);
      if (!both.isOk())
        return ": " + both.status().message();
    }
  }
  return "";
}

std::string ConflictReport::headline() const {
  if (conflict.size() == 2 && requests.size() == 1 && kernels.size() == 1 &&
      requests == kernels)
    return nodeText(requests[0]) + " " + requestsText(requests[0]) +
           ", but for " + elementTypesText(problem.nodes[kernels[0]].op) +
           " it has kernels for " + kernelsText(kernels[0]) + " only";
  std::vector<std::string> parts;
  for (uint32_t node : requests)
    parts.push_back(nodeText(node) + " " + requestsText(node));
  for (uint32_t node : kernels)
    parts.push_back(nodeText(node) + " has kernels for " + kernelsText(node) +
                    " only");
  if (parts.size() > kMaxMembers) {
    std::string rest = std::to_string(parts.size() - kMaxMembers) + " more";
    parts.resize(kMaxMembers);
    parts.push_back(rest);
  }
  std::string last = parts.back();
  parts.pop_back();
  return "ops that share a device cannot all be placed: " +
         llvm::join(parts, ", ") + " and " + last;
}

/// Suggests a request to make instead. The others leave some device, but in a
/// set with superfluous constraints.
std::string ConflictReport::requestFix(uint32_t node) {
  std::vector<PlacementConstraint> others;
  for (PlacementConstraint constraint : conflict)
    if (constraint.kind != PlacementConstraint::Request ||
        constraint.index != node)
      others.push_back(constraint);
  llvm::BitVector devices = search.devicesOf(node, others);
  const PlacementNode &of = problem.nodes[node];
  if (devices.none())
    return of.rule ? "exclude it from the rule" : "leave it out";
  std::string name = (*problem.devices)[devices.find_first()].fullName;
  if (of.request == RequestKind::Assigned)
    return "leave out its 'assigned_device', or make it '" + name + "'";
  if (of.rule)
    return "exclude it from the rule, or put a rule in front that gives it '" +
           name + "'";
  return "leave out its device, or request '" + name + "'";
}

std::string ConflictReport::kernelFix(uint32_t node) const {
  Operation *op = problem.nodes[node].op;
  if (isa<VariableOp>(op))
    return "make it a float, of which GPUs have variables, too";
  if (isa<NextOp>(op))
    return "feed the batch; CPUs alone read datasets";
  if (isa<ConstOp>(op))
    return "give it numbers; strings are on CPUs alone";
  if (auto custom = dyn_cast<CustomOp>(op))
    return "add a kind of device to " + problem.kernels->place(custom.getOp());
  return "write it as a tfir.custom op, whose devices --kernels says";
}

void ConflictReport::noteRequest(InFlightDiagnostic &error, uint32_t node) {
  error.attachNote(problem.nodes[node].getLoc())
      << nodeText(node) << " " << requestsText(node)
      << "; fix: " << requestFix(node);
}

void ConflictReport::noteKernel(InFlightDiagnostic &error, uint32_t node) {
  error.attachNote(problem.nodes[node].getLoc())
      << nodeText(node) << " has kernels for " << kernelsText(node)
      << " only, with " << elementTypesText(problem.nodes[node].op)
      << "; fix: " << kernelFix(node);
}

void ConflictReport::noteLink(InFlightDiagnostic &error,
                              const PlacementLink &link) {
  Diagnostic &note = error.attachNote(problem.nodes[link.to].getLoc());
  std::string from = nodeText(link.from), to = nodeText(link.to);
  if (!link.isReference)
    note << to << " is colocated with " << from
         << "; fix: leave out its 'colocate_with'";
  else if (isa_and_present<VariableOp>(problem.nodes[link.from].op))
    note << to << " uses the variable " << from
         << " in place; fix: give it a variable of its own";
  else if (isa_and_present<NextOp>(problem.nodes[link.to].op))
    note << to << " reads the same data as " << from
         << "; fix: give it a dataset of its own";
  else
    note << to << " refers to the resource of " << from
         << "; fix: give it a resource of its own";
}

/// Notes a group as TensorFlow does: the kinds of op with their kinds of
/// device, and every member with what it requests.
void ConflictReport::noteGroup(Diagnostic &note) const {
  llvm::MapVector<StringRef, std::string> kinds;
  for (uint32_t member : members)
    if (problem.nodes[member].op && !kinds.contains(problem.nodes[member].kind))
      kinds[problem.nodes[member].kind] = kernelsText(member);
  note << "the group has " << members.size() << " members of the kinds ";
  llvm::interleaveComma(
      llvm::ArrayRef(kinds.takeVector()).take_front(kMaxMembers), note,
      [&](const auto &kind) {
        note << kind.first << " (" << kind.second << ")";
      });
  note << ": ";
  llvm::interleaveComma(members.take_front(kMaxMembers), note,
                        [&](uint32_t member) {
                          note << "'" << problem.nodes[member].name << "'";
                          if (problem.hasRequest(member))
                            note << " " << requestsText(member);
                        });
  if (members.size() > kMaxMembers)
    note << " and " << members.size() - kMaxMembers << " more";
}

/// Colocations give way, references do not.
bool ConflictReport::softHelps() {
  ConflictSearch softSearch(problem, members, links, /*soft=*/true);
  std::vector<PlacementConstraint> hard;
  for (PlacementConstraint constraint : softSearch.all())
    if (constraint.kind != PlacementConstraint::Link ||
        links[constraint.index].isReference)
      hard.push_back(constraint);
  return softSearch.canMeet(hard);
}

void ConflictReport::emit() {
  conflict = search.minimize();
  for (PlacementConstraint constraint : conflict)
    if (constraint.kind == PlacementConstraint::Request)
      requests.push_back(constraint.index);
    else if (constraint.kind == PlacementConstraint::Kernel)
      kernels.push_back(constraint.index);
  uint32_t first = requests.empty() ? kernels.front() : requests.front();
  Location loc = problem.nodes[first].getLoc();
  InFlightDiagnostic error = mlir::emitError(loc);
  std::string apart = kernels.empty() ? contradiction() : "";
  error << headline()
        << (apart.empty() ? "; remove one of these constraints" : apart);
  for (PlacementConstraint constraint : conflict)
    if (constraint.kind == PlacementConstraint::Request)
      noteRequest(error, constraint.index);
    else if (constraint.kind == PlacementConstraint::Kernel)
      noteKernel(error, constraint.index);
    else
      noteLink(error, links[constraint.index]);
  if (conflict.size() > kMaxNotes)
    error.attachNote(loc) << "and " << conflict.size() - kMaxNotes
                          << " more like the last one";
  if (!soft && softHelps())
    error.attachNote(loc) << "or pass --allow-soft-placement, which gives up "
                             "types and ids of requests, and colocations";
  if (members.size() > 1)
    noteGroup(error.attachNote(loc));
  error.attachNote(loc) << "the devices are "
                        << availableDevices(*problem.devices);
}

} // namespace

void reportConflict(PlacementProblem &problem, ArrayRef<uint32_t> members,
                    ArrayRef<PlacementLink> links, bool soft) {
  ConflictReport(problem, members, links, soft).emit();
}

} // namespace graphc
