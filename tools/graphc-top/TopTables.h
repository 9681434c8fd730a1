// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The views of graphc-top as lines of text.
#ifndef GRAPHC_TOOLS_GRAPHC_TOP_TOPTABLES_H
#define GRAPHC_TOOLS_GRAPHC_TOP_TOPTABLES_H

#include "tools/graphc-top/TaskView.h"

#include <string>
#include <vector>

namespace graphc::top {

enum class TopView { Tasks, Links, Graphs };

struct TopTable {
  std::string header;
  std::vector<std::string> rows;
  std::vector<size_t> tasks; ///< of each row, the index of its task
};

/// Orders of the tasks; the first is that of the cluster.
enum class SortBy { Cluster, Rate, Wait, Memory, Name };
inline constexpr size_t kSortOrders = 5;
const char *sortName(SortBy order);

void sortTasks(std::vector<TaskView> &tasks, SortBy order);

/// Columns are padded to the widest text, numbers to the right.
TopTable makeTable(const std::vector<TaskView> &tasks, TopView view);

/// "3 tasks: 2 running, 1 lost; 1250 examples/s; loss 0.123".
std::string summaryOf(const std::vector<TaskView> &tasks);

/// State, address and reason of a task, in one line.
std::string detailOf(const TaskView &task);

} // namespace graphc::top

#endif
