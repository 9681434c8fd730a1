// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-top/TopTables.h"

#include "runtime/base/Texts.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace graphc::top {

using runtime::escape;

namespace {

std::string numberText(double value, const char *format = "%.4g") {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string optionalText(const std::optional<double> &value) {
  return value ? numberText(*value) : "-";
}

std::string rateText(double value) {
  return value > 0 ? numberText(value, value < 10 ? "%.2f" : "%.0f") : "-";
}

std::string bytesText(double value) {
  return value >= 1 ? runtime::decimalBytes(static_cast<uint64_t>(value)) : "-";
}

std::string shareText(double value) {
  return numberText(value * 100, "%.0f%%");
}

std::string timeText(const std::optional<double> &seconds) {
  if (!seconds)
    return "-";
  if (*seconds < 1e-3)
    return numberText(*seconds * 1e6, "<%.3gus");
  return *seconds < 1 ? numberText(*seconds * 1e3, "<%.3gms")
                      : numberText(*seconds, "<%.3gs");
}

struct Column {
  const char *name;
  bool isNumber = true;
};

class Builder {
public:
  explicit Builder(std::vector<Column> given) : columns(std::move(given)) {}

  void add(size_t task, std::vector<std::string> cells) {
    owners.push_back(task);
    rows.push_back(std::move(cells));
  }

  TopTable make() const {
    std::vector<size_t> widths;
    for (size_t i = 0; i < columns.size(); ++i) {
      widths.push_back(std::string_view(columns[i].name).size());
      for (const auto &row : rows)
        widths[i] = std::max(widths[i], row[i].size());
    }
    TopTable table;
    std::vector<std::string> names;
    for (const Column &column : columns)
      names.emplace_back(column.name);
    table.header = line(names, widths);
    for (const auto &row : rows)
      table.rows.push_back(line(row, widths));
    table.tasks = owners;
    return table;
  }

private:
  std::string line(const std::vector<std::string> &cells,
                   const std::vector<size_t> &widths) const {
    std::string text;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string pad(widths[i] - cells[i].size(), ' ');
      text += (i ? "  " : "") +
              (columns[i].isNumber ? pad + cells[i] : cells[i] + pad);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
  }

  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<size_t> owners;
};

TopTable tasksTable(const std::vector<TaskView> &tasks) {
  Builder table({{"TASK", false},
                 {"STATE", false},
                 {"GRAPH", false},
                 {"STEP"},
                 {"STEPS/S"},
                 {"EX/S"},
                 {"LOSS"},
                 {"IN/S"},
                 {"OUT/S"},
                 {"WAIT"},
                 {"RES"},
                 {"ARENA"},
                 {"VARS"},
                 {"STALE"},
                 {"EARLY"},
                 {"PEND"}});
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TaskView &task = tasks[i];
    const GraphView *graph = task.mainGraph();
    table.add(
        i,
        {task.task, stateName(task.state), graph ? escape(graph->name) : "-",
         graph ? numberText(graph->lastStep, "%.0f") : "-",
         rateText(task.stepsPerSecond()), rateText(task.examplesPerSecond()),
         optionalText(task.loss()), bytesText(task.receivedPerSecond()),
         bytesText(task.sentPerSecond()), shareText(task.waitShare()),
         bytesText(task.resident), bytesText(task.arenas),
         bytesText(task.variables), optionalText(task.meanStaleness),
         bytesText(task.earlyBytes), numberText(task.pendingUpdates, "%.0f")});
  }
  return table.make();
}

TopTable linksTable(const std::vector<TaskView> &tasks) {
  Builder table({{"FROM", false},
                 {"TO", false},
                 {"LINK", false},
                 {"OUT/S"},
                 {"IN/S"},
                 {"OUT"},
                 {"IN"},
                 {"QUEUED"},
                 {"LOSSES"}});
  for (size_t i = 0; i < tasks.size(); ++i)
    for (const LinkView &link : tasks[i].links)
      table.add(i, {tasks[i].task, escape(link.to), link.isUp ? "up" : "down",
                    bytesText(link.sentPerSecond),
                    bytesText(link.receivedPerSecond), bytesText(link.sent),
                    bytesText(link.received), bytesText(link.queued),
                    numberText(link.losses, "%.0f")});
  return table.make();
}

double waitOf(const GraphView &graph, const char *kind) {
  auto found = graph.waits.find(kind);
  return found == graph.waits.end() ? 0 : found->second;
}

TopTable graphsTable(const std::vector<TaskView> &tasks) {
  Builder table({{"TASK", false},
                 {"GRAPH", false},
                 {"STEPS"},
                 {"STEPS/S"},
                 {"MEDIAN"},
                 {"EX/S"},
                 {"VALUES"},
                 {"UPDATE"},
                 {"START"},
                 {"FETCHES", false}});
  for (size_t i = 0; i < tasks.size(); ++i)
    for (const GraphView &graph : tasks[i].graphs) {
      std::string fetches;
      for (const auto &[name, value] : graph.fetches)
        fetches += (fetches.empty() ? "" : ", ") + escape(name) + " = " +
                   numberText(value);
      table.add(
          i, {tasks[i].task, escape(graph.name),
              numberText(graph.steps, "%.0f"), rateText(graph.stepsPerSecond),
              timeText(graph.medianSeconds), rateText(graph.examplesPerSecond),
              shareText(waitOf(graph, "values")),
              shareText(waitOf(graph, "update")),
              shareText(waitOf(graph, "start")), fetches});
    }
  return table.make();
}

} // namespace

const char *sortName(SortBy order) {
  switch (order) {
  case SortBy::Cluster:
    break;
  case SortBy::Rate:
    return "steps/s";
  case SortBy::Wait:
    return "wait";
  case SortBy::Memory:
    return "memory";
  case SortBy::Name:
    return "name";
  }
  return "cluster";
}

void sortTasks(std::vector<TaskView> &tasks, SortBy order) {
  // Equal ones by their names, so that lines keep their places.
  auto byLargest = [&](auto valueOf) {
    std::ranges::sort(tasks, {}, [&](const TaskView &task) {
      return std::pair(-valueOf(task), task.task);
    });
  };
  switch (order) {
  case SortBy::Cluster:
    return;
  case SortBy::Rate:
    return byLargest(
        [](const TaskView &task) { return task.stepsPerSecond(); });
  case SortBy::Wait:
    return byLargest([](const TaskView &task) { return task.waitShare(); });
  case SortBy::Memory:
    return byLargest([](const TaskView &task) { return task.resident; });
  case SortBy::Name:
    return byLargest([](const TaskView &) { return 0.0; });
  }
}

TopTable makeTable(const std::vector<TaskView> &tasks, TopView view) {
  switch (view) {
  case TopView::Tasks:
    break;
  case TopView::Links:
    return linksTable(tasks);
  case TopView::Graphs:
    return graphsTable(tasks);
  }
  return tasksTable(tasks);
}

std::string summaryOf(const std::vector<TaskView> &tasks) {
  constexpr std::array kStates = {TaskState::Running, TaskState::Waiting,
                                  TaskState::Idle,    TaskState::Stopped,
                                  TaskState::Lost,    TaskState::Unknown};
  std::string text = std::to_string(tasks.size()) +
                     (tasks.size() == 1 ? " task: " : " tasks: ");
  bool isFirst = true;
  for (TaskState state : kStates) {
    size_t count = std::ranges::count(tasks, state, &TaskView::state);
    if (count == 0)
      continue;
    text +=
        (isFirst ? "" : ", ") + std::to_string(count) + " " + stateName(state);
    isFirst = false;
  }
  double examples = 0;
  std::optional<double> loss;
  for (const TaskView &task : tasks) {
    examples += task.examplesPerSecond();
    if (!loss)
      loss = task.loss();
  }
  text += "; " + numberText(examples, "%.0f") + " examples/s";
  if (loss)
    text += "; loss " + numberText(*loss);
  return text;
}

std::string detailOf(const TaskView &task) {
  std::string text =
      task.task + " at " + escape(task.address) + ": " + stateName(task.state);
  if (!task.reason.empty())
    text += task.state == TaskState::Waiting ? " for " + task.reason
                                             : ": " + task.reason;
  if (task.failures > 0)
    text += "; runs that failed: " + numberText(task.failures, "%.0f");
  if (task.lateGradients > 0)
    text += "; late gradients: " + numberText(task.lateGradients, "%.0f");
  return text;
}

} // namespace graphc::top
