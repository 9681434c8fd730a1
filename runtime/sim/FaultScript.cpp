// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sim/FaultScript.h"

#include <charconv>
#include <cstdio>
#include <optional>

using namespace graphc::runtime;

namespace {

/// The words of one line.
class Line {
public:
  Line(std::string_view text, std::string where) : where(std::move(where)) {
    text = text.substr(0, text.find('#'));
    while (true) {
      size_t begin = text.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos)
        return;
      size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
      words.push_back(text.substr(begin, end - begin));
      text.remove_prefix(end);
    }
  }

  bool isDone() const { return next == words.size(); }
  std::string_view peek() const { return isDone() ? "" : words[next]; }
  std::string_view take() { return isDone() ? "" : words[next++]; }
  bool accept(std::string_view word) {
    if (peek() != word)
      return false;
    ++next;
    return true;
  }
  /// Of the word that was taken last.
  Status fail(std::string_view word, std::string_view expected) const {
    return invalidArgument(where + ": " +
                           (word.empty()
                                ? "the line ends"
                                : "'" + std::string(word) + "' stands") +
                           " where " + std::string(expected) + " is expected");
  }

private:
  std::string where;
  std::vector<std::string_view> words;
  size_t next = 0;
};

std::optional<double> parseNumber(std::string_view text) {
  double value;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// "1.5s", "20ms", "300us".
std::optional<int64_t> parseTime(std::string_view text) {
  struct Unit {
    std::string_view name;
    double nanos;
  };
  for (Unit unit : {Unit{"ms", 1e6}, Unit{"us", 1e3}, Unit{"s", 1e9}}) {
    if (!text.ends_with(unit.name))
      continue;
    auto value = parseNumber(text.substr(0, text.size() - unit.name.size()));
    // A year is more than any simulation takes.
    if (!value || !(*value >= 0 && *value * unit.nanos < 3e16))
      return std::nullopt;
    return static_cast<int64_t>(*value * unit.nanos + 0.5);
  }
  return std::nullopt;
}

Status takeTime(Line &line, int64_t &nanos) {
  std::string_view word = line.take();
  auto parsed = parseTime(word);
  if (!parsed)
    return line.fail(word, "a time such as 1.5s, 20ms or 300us");
  nanos = *parsed;
  return Status::ok();
}

StatusOr<int64_t> takeCount(Line &line, std::string_view what) {
  std::string_view word = line.take();
  int64_t value;
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || value < 1)
    return line.fail(word, what);
  return value;
}

Status takeProbability(Line &line, double &probability) {
  std::string_view word = line.take();
  auto value = parseNumber(word);
  if (!value || !(*value >= 0 && *value < 1))
    return line.fail(word, "a probability from 0 to below 1");
  probability = *value;
  return Status::ok();
}

StatusOr<TaskId> takeTask(Line &line, const ClusterSpec &cluster,
                          bool isClientAllowed) {
  std::string_view word = line.take();
  if (isClientAllowed && word == "client")
    return kClientEnd;
  std::vector<std::string> names;
  for (TaskId task = 0; task < cluster.size(); ++task) {
    names.push_back(cluster.task(task).name());
    if (names.back() == word)
      return task;
  }
  std::string expected = "a task of the cluster";
  for (size_t i = 0; i < names.size(); ++i)
    expected += (i == 0 ? " (" : ", ") + names[i];
  return line.fail(word, expected + ")");
}

StatusOr<FaultTime> takeWhen(Line &line) {
  FaultTime when;
  if (line.accept("step") || line.peek() == "event") {
    when.unit = FaultTime::Unit::Steps;
    if (line.accept("event"))
      when.unit = FaultTime::Unit::Events;
    GRAPHC_ASSIGN_OR_RETURN(when.value, takeCount(line, "a number from 1"));
    return when;
  }
  GRAPHC_TRY(takeTime(line, when.value));
  return when;
}

Status takeEnds(Line &line, const ClusterSpec &cluster, Fault &fault) {
  GRAPHC_ASSIGN_OR_RETURN(fault.a, takeTask(line, cluster, true));
  GRAPHC_ASSIGN_OR_RETURN(fault.b, takeTask(line, cluster, true));
  if (fault.a == fault.b)
    return line.fail("the same", "another end");
  return Status::ok();
}

Status takeFor(Line &line, Fault &fault, bool isNeeded) {
  if (!isNeeded && line.isDone())
    return Status::ok();
  if (!line.accept("for"))
    return line.fail(line.take(), "'for' and a time");
  GRAPHC_TRY(takeTime(line, fault.forNanos));
  return Status::ok();
}

Status parseCrash(Line &line, const ClusterSpec &cluster, Fault &fault) {
  GRAPHC_ASSIGN_OR_RETURN(fault.a, takeTask(line, cluster, false));
  if (!line.accept("restart"))
    return Status::ok();
  GRAPHC_TRY(takeTime(line, fault.forNanos));
  return Status::ok();
}

Status parseSlow(Line &line, const ClusterSpec &cluster, Fault &fault) {
  GRAPHC_ASSIGN_OR_RETURN(fault.a, takeTask(line, cluster, false));
  if (!line.accept("by"))
    return line.fail(line.take(), "'by' and a factor");
  std::string_view word = line.take();
  auto factor = parseNumber(word);
  if (!factor || !(*factor >= 0.01 && *factor <= 1e6))
    return line.fail(word, "a factor from 0.01 to 1000000");
  fault.factor = *factor;
  return takeFor(line, fault, false);
}

Status parseFault(Line &line, const ClusterSpec &cluster, FaultScript &script) {
  Fault fault;
  GRAPHC_ASSIGN_OR_RETURN(fault.when, takeWhen(line));
  std::string_view word = line.take();
  if (word == "crash") {
    fault.kind = Fault::Kind::Crash;
    GRAPHC_TRY(parseCrash(line, cluster, fault));
  } else if (word == "stop") {
    fault.kind = Fault::Kind::Stop;
    GRAPHC_ASSIGN_OR_RETURN(fault.a, takeTask(line, cluster, false));
    GRAPHC_TRY(takeFor(line, fault, true));
  } else if (word == "slow") {
    fault.kind = Fault::Kind::Slow;
    GRAPHC_TRY(parseSlow(line, cluster, fault));
  } else if (word == "cut") {
    fault.kind = Fault::Kind::Cut;
    GRAPHC_TRY(takeEnds(line, cluster, fault));
    GRAPHC_TRY(takeFor(line, fault, false));
  } else if (word == "partition") {
    fault.kind = Fault::Kind::Partition;
    GRAPHC_TRY(takeEnds(line, cluster, fault));
    GRAPHC_TRY(takeFor(line, fault, true));
  } else {
    return line.fail(word, "crash, stop, slow, cut or partition");
  }
  script.faults.push_back(fault);
  return Status::ok();
}

Status parseDelay(Line &line, LinkQuality &quality) {
  std::string_view word = line.take();
  size_t dots = word.find("..");
  auto least = parseTime(word.substr(0, dots));
  auto most =
      dots == std::string_view::npos ? least : parseTime(word.substr(dots + 2));
  if (!least || !most || *least > *most)
    return line.fail(word, "a delay such as 5ms or 5ms..50ms");
  quality.leastDelay = *least;
  quality.mostDelay = *most;
  return Status::ok();
}

Status parseRate(Line &line, LinkQuality &quality) {
  std::string_view word = line.take();
  auto rate = parseNumber(word);
  if (!rate || !(*rate >= 1 && *rate <= 1e12))
    return line.fail(word, "bytes per second from 1 to 1e12");
  quality.rate = *rate;
  return Status::ok();
}

Status parseLink(Line &line, const ClusterSpec &cluster, FaultScript &script) {
  LinkFault link;
  if (!line.accept("all")) {
    GRAPHC_ASSIGN_OR_RETURN(link.a, takeTask(line, cluster, false));
    GRAPHC_ASSIGN_OR_RETURN(link.b, takeTask(line, cluster, false));
    if (link.a == link.b)
      return line.fail("the same", "another task");
  }
  LinkQuality &quality = link.quality;
  do {
    std::string_view word = line.take();
    if (word == "loss")
      GRAPHC_TRY(takeProbability(line, quality.loss));
    else if (word == "duplicate")
      GRAPHC_TRY(takeProbability(line, quality.duplicate));
    else if (word == "reorder")
      GRAPHC_TRY(takeProbability(line, quality.reorder));
    else if (word == "delay")
      GRAPHC_TRY(parseDelay(line, quality));
    else if (word == "rate")
      GRAPHC_TRY(parseRate(line, quality));
    else
      return line.fail(word, "loss, duplicate, reorder, delay or rate");
  } while (!line.isDone());
  script.links.push_back(link);
  return Status::ok();
}

Status parseRandom(Line &line, FaultScript &script) {
  RandomFaults random;
  GRAPHC_ASSIGN_OR_RETURN(int64_t count,
                          takeCount(line, "a number of faults from 1"));
  if (count > 1000)
    return line.fail(std::to_string(count), "a number of at most 1000");
  random.count = static_cast<uint32_t>(count);
  random.isMild = line.accept("mild");
  if (line.accept("within"))
    GRAPHC_TRY(takeTime(line, random.withinNanos));
  script.random.push_back(random);
  return Status::ok();
}

Status parseLine(Line &line, const ClusterSpec &cluster, FaultScript &script) {
  if (line.accept("at"))
    GRAPHC_TRY(parseFault(line, cluster, script));
  else if (line.accept("link"))
    GRAPHC_TRY(parseLink(line, cluster, script));
  else if (line.accept("random"))
    GRAPHC_TRY(parseRandom(line, script));
  else
    return line.fail(line.take(), "at, link or random");
  return line.isDone() ? Status::ok()
                       : line.fail(line.take(), "the end of the line");
}

std::string endName(TaskId end, const ClusterSpec &cluster) {
  return end == kClientEnd ? "client" : cluster.task(end).name();
}

std::string seconds(int64_t nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(nanos) * 1e-9);
  return text;
}

} // namespace

StatusOr<FaultScript> FaultScript::parse(std::string_view text,
                                         std::string_view where,
                                         const ClusterSpec &cluster) {
  FaultScript script;
  for (size_t number = 1; !text.empty(); ++number) {
    size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end),
              std::string(where) + ":" + std::to_string(number));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.isDone())
      GRAPHC_TRY(parseLine(line, cluster, script));
  }
  return script;
}

std::string graphc::runtime::describeFault(const Fault &fault,
                                           const ClusterSpec &cluster) {
  static const char *const kVerbs[] = {"crash", "stop", "slow", "cut",
                                       "partition"};
  std::string text = kVerbs[static_cast<int>(fault.kind)];
  text += " " + endName(fault.a, cluster);
  if (fault.b != kNoTask)
    text += " " + endName(fault.b, cluster);
  if (fault.kind == Fault::Kind::Slow) {
    char factor[32];
    std::snprintf(factor, sizeof factor, " by %g", fault.factor);
    text += factor;
  }
  if (fault.forNanos > 0)
    text += (fault.kind == Fault::Kind::Crash ? ", restart after " : " for ") +
            seconds(fault.forNanos);
  return text;
}
