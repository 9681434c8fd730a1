// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-run/cluster/WaitRoot.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

namespace graphc::run {

using protocol::Reply;

namespace {

const TaskAnswer *findAnswer(const std::vector<TaskAnswer> &answers,
                             const std::string &task) {
  auto found = std::find_if(
      answers.begin(), answers.end(),
      [&](const TaskAnswer &answer) { return answer.task == task; });
  return found == answers.end() ? nullptr : &*found;
}

bool isSameRun(const Reply::Wait &a, const Reply::Wait &b) {
  return a.run().client() == b.run().client() &&
         a.run().number() == b.run().number();
}

/// The wait of `answer`'s task on which `wait` depends: of the same run, one
/// that leads on to another task if there is any.
const Reply::Wait *nextWait(const TaskAnswer &answer, const Reply::Wait &wait) {
  const Reply::Wait *next = nullptr;
  for (const Reply::Wait &candidate : answer.waits.waits()) {
    if (!isSameRun(candidate, wait))
      continue;
    if (!next ||
        (next->awaited_task().empty() && !candidate.awaited_task().empty()))
      next = &candidate;
  }
  return next;
}

std::string placeText(const Reply::Wait &wait) {
  std::string text;
  if (wait.step() > 0)
    text += "step " + std::to_string(wait.step()) + " of ";
  if (!wait.graph().empty())
    text += "graph '" + wait.graph() + "'";
  return text;
}

WaitRoot::Class classOf(const std::string &kind) {
  if (kind == "data")
    return WaitRoot::Class::Input;
  if (kind == "client")
    return WaitRoot::Class::Client;
  if (kind == "init")
    return WaitRoot::Class::Init;
  if (kind == "sequence")
    return WaitRoot::Class::Sequence;
  return WaitRoot::Class::Computing;
}

WaitRoot rootOfWait(const Reply::Wait &wait) {
  std::string place = placeText(wait);
  return {classOf(wait.kind()), wait.task(),
          wait.task() + " waits for " + wait.what() +
              (place.empty() ? "" : " in " + place)};
}

WaitRoot rootOfSilent(const TaskAnswer &answer) {
  if (answer.kind == TaskAnswer::Kind::Dead)
    return {WaitRoot::Class::Dead, answer.task,
            answer.task + " is dead: nobody listens at its address; start it "
                          "again"};
  return {WaitRoot::Class::Stopped, answer.task,
          answer.task + " has stopped: its process is there, but does not "
                        "answer"};
}

WaitRoot follow(const std::vector<TaskAnswer> &answers,
                const Reply::Wait &first) {
  std::set<std::string> seen = {first.task()};
  std::string chain = first.task();
  const Reply::Wait *wait = &first;
  while (true) {
    if (wait->awaited_task().empty() || wait->awaited_task() == wait->task())
      return rootOfWait(*wait);
    const TaskAnswer *awaited = findAnswer(answers, wait->awaited_task());
    if (!awaited)
      return rootOfWait(*wait);
    if (awaited->kind != TaskAnswer::Kind::Answered)
      return rootOfSilent(*awaited);
    chain += " -> " + awaited->task;
    if (!seen.insert(awaited->task).second)
      return {WaitRoot::Class::Cycle, awaited->task,
              "these tasks wait for each other: " + chain};
    const Reply::Wait *next = nextWait(*awaited, *wait);
    if (!next)
      return {WaitRoot::Class::Computing, awaited->task,
              awaited->task + " waits for nothing: it computes"};
    wait = next;
  }
}

/// Ranks roots of equally many waits: the highest is printed.
int rank(WaitRoot::Class kind) {
  switch (kind) {
  case WaitRoot::Class::Dead:
    return 6;
  case WaitRoot::Class::Stopped:
    return 5;
  case WaitRoot::Class::Cycle:
    return 4;
  case WaitRoot::Class::Input:
  case WaitRoot::Class::Init:
    return 3;
  case WaitRoot::Class::Client:
  case WaitRoot::Class::Sequence:
    return 2;
  case WaitRoot::Class::Computing:
    return 1;
  case WaitRoot::Class::None:
    break;
  }
  return 0;
}

bool isSilent(WaitRoot::Class kind) {
  return kind == WaitRoot::Class::Dead || kind == WaitRoot::Class::Stopped;
}

} // namespace

const char *className(WaitRoot::Class kind) {
  switch (kind) {
  case WaitRoot::Class::None:
    return "none";
  case WaitRoot::Class::Dead:
    return "dead";
  case WaitRoot::Class::Stopped:
    return "stopped";
  case WaitRoot::Class::Input:
    return "input";
  case WaitRoot::Class::Client:
    return "client";
  case WaitRoot::Class::Init:
    return "init";
  case WaitRoot::Class::Sequence:
    return "sequence";
  case WaitRoot::Class::Computing:
    return "computing";
  case WaitRoot::Class::Cycle:
    return "cycle";
  }
  return "none";
}

WaitRoot findRoot(const std::vector<TaskAnswer> &answers) {
  struct Count {
    WaitRoot root;
    int waits = 0;
  };
  std::map<std::pair<WaitRoot::Class, std::string>, Count> counts;
  auto count = [&](WaitRoot root, int waits) {
    Count &entry = counts[{root.kind, root.task}];
    entry.waits += waits;
    if (entry.root.text.empty())
      entry.root = std::move(root);
  };
  for (const TaskAnswer &answer : answers) {
    if (answer.kind != TaskAnswer::Kind::Answered)
      count(rootOfSilent(answer), 0);
    for (const Reply::Wait &wait : answer.waits.waits())
      count(follow(answers, wait), 1);
  }
  Count best;
  for (const auto &[key, entry] : counts) {
    auto order = [](const Count &count) {
      return std::tuple(isSilent(count.root.kind), count.waits,
                        rank(count.root.kind));
    };
    if (order(entry) > order(best))
      best = entry;
  }
  if (best.root.kind == WaitRoot::Class::None)
    best.root.text = "no task waits for anything";
  return best.root;
}

std::string describeWaits(const std::vector<TaskAnswer> &answers) {
  size_t width = 0;
  for (const TaskAnswer &answer : answers)
    width = std::max(width, answer.task.size());
  std::string text;
  for (const TaskAnswer &answer : answers) {
    std::string start = answer.task;
    start.resize(width + 2, ' ');
    if (answer.kind != TaskAnswer::Kind::Answered) {
      text += start + "does not answer: " + answer.why + "\n";
      continue;
    }
    if (answer.waits.waits().empty())
      text += start + "waits for nothing\n";
    for (const Reply::Wait &wait : answer.waits.waits()) {
      std::string place = placeText(wait);
      text += start + (place.empty() ? "" : place + " ") + "waits for " +
              wait.what();
      if (!wait.awaited_task().empty() &&
          wait.what().find(wait.awaited_task()) == std::string::npos)
        text += " of " + wait.awaited_task();
      if (!wait.location().empty() &&
          wait.what().find(wait.location()) == std::string::npos)
        text += " (" + wait.location() + ")";
      char since[40];
      std::snprintf(since, sizeof since, ", for %.1f s",
                    static_cast<double>(wait.since_ms()) * 1e-3);
      text += since + std::string("\n");
    }
  }
  return text;
}

} // namespace graphc::run
