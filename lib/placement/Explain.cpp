// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of one op in plain words.
#include "lib/placement/PlacementLog.h"
#include "runtime/base/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <cmath>

using graphc::runtime::StatusOr;
using llvm::StringRef;

namespace graphc {

namespace {

/// A smaller part of a step is rounding.
constexpr double kRounding = 1e-9;

std::string secondsText(double seconds) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  double size = std::fabs(seconds);
  if (size < 1e-6)
    stream << llvm::format("%.3f ns", seconds * 1e9);
  else if (size < 1e-3)
    stream << llvm::format("%.3f us", seconds * 1e6);
  else if (size < 1)
    stream << llvm::format("%.3f ms", seconds * 1e3);
  else
    stream << llvm::format("%.3f s", seconds);
  return text;
}

std::string costText(double seconds, double step) {
  if (std::fabs(seconds) <= kRounding * step)
    return "a step would take as long";
  std::string share;
  if (step > 0)
    llvm::raw_string_ostream(share)
        << llvm::format(", %+.1f %%", 100 * seconds / step);
  return "a step would take " + secondsText(std::fabs(seconds)) +
         (seconds > 0 ? " more" : " less") + share;
}

void explainOthers(const PlacementLog &log, const PlacementRecord &record,
                   llvm::raw_ostream &stream) {
  for (const LoggedAlternative &other : log.alternatives(record))
    for (unsigned device = other.first; device <= other.last; ++device) {
      if (device == record.device)
        continue;
      stream << "  not " << log.devices[device].name << ": ";
      if (other.excluded.why != Exclusion::None)
        stream << log.whyNotOf(record, other.excluded) << "\n";
      else if (other.cost)
        stream << "allowed, " << costText(*other.cost, *log.stepSeconds)
               << "\n";
      else
        stream << "allowed\n";
    }
}

void explainRecord(const PlacementLog &log, const PlacementRecord &record,
                   llvm::raw_ostream &stream) {
  stream << (record.graph == kNoNode ? "variable '" : "'") << record.name
         << "' (" << log.texts[record.kind] << ")";
  if (record.graph != kNoNode)
    stream << " of graph '" << log.texts[record.graph] << "'";
  if (std::string place = log.placeOf(record); !place.empty())
    stream << " at " << place;
  stream << "\n  on " << log.devices[record.device].name << ": "
         << log.whyOf(record) << "\n";
  std::vector<const PlacementRecord *> members;
  for (const PlacementRecord &other : log.records)
    if (other.group == record.group && &other != &record)
      members.push_back(&other);
  if (!members.empty()) {
    stream << "  shares its device with '" << log.keyOf(*members.front())
           << "'";
    if (members.size() > 1)
      stream << " and " << members.size() - 1 << " more";
    stream << "\n";
  }
  explainOthers(log, record, stream);
}

} // namespace

std::string PlacementLog::costOf(const PlacementRecord &record) const {
  if (!record.busySeconds || *record.busySeconds <= 0 || !stepSeconds)
    return "";
  return "takes " + secondsText(*record.busySeconds) + " of a step of " +
         secondsText(*stepSeconds);
}

StatusOr<std::string> PlacementLog::explain(StringRef name) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (const PlacementRecord &record : records)
    if (name == record.name || name == keyOf(record))
      explainRecord(*this, record, stream);
  if (!text.empty())
    return text;
  // The name may be long and so may be their number: the best only.
  std::string nearest;
  size_t least = name.size() / 3 + 1;
  for (const PlacementRecord &record : records) {
    size_t distance = name.edit_distance(record.name, true, least);
    if (distance < least) {
      least = distance;
      nearest = record.name;
    }
  }
  return runtime::notFound("no op or variable is called '" + name.str() + "'" +
                           (nearest.empty()
                                ? "; --log-device-placement lists their names"
                                : "; did you mean '" + nearest + "'?"));
}

} // namespace graphc
