// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/graphc-top/TopScreen.h"

#include "runtime/base/StopSignal.h"

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <curses.h>

namespace graphc::top {

using namespace runtime;

namespace {

constexpr int kLookMillis = 100; ///< between looks for answers and signals
constexpr int kColumnStep = 8;
constexpr int kEscape = 27;

constexpr std::array kHelp = {
    "q              quit",
    "1 2 3          tasks, links, graphs",
    "up down j k    select a task; its state is in the last line",
    "left right     scroll columns",
    "s              sort by cluster, steps/s, wait, memory, name",
    "p              pause the view; tasks go on",
    "h              this help",
    "",
    "WAIT is the share of time in which a run could not go on: for values of",
    "other tasks, its turn in the order of updates, or the next step's begin.",
    "IN/S OUT/S bytes by links; STALE mean age of updates; EARLY bytes that",
    "came before their step; PEND reads and updates that wait for their turn."};

/// Owns the terminal while it lives.
class Curses {
public:
  Curses() {
    std::setlocale(LC_ALL, "");
    terminal = newterm(nullptr, stdout, stdin);
    if (!terminal)
      return;
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    wtimeout(stdscr, kLookMillis);
  }
  Curses(const Curses &) = delete;
  ~Curses() {
    if (!terminal)
      return;
    endwin();
    delscreen(terminal);
  }
  bool isOpen() const { return terminal; }

private:
  SCREEN *terminal = nullptr;
};

class Screen {
public:
  Screen(const ClusterPoller &poller, TopView view, double interval)
      : poller(poller), view(view), interval(interval) {}

  /// False: a signal ended it.
  bool run();

private:
  /// False: quit.
  bool onKey(int key);
  void takeViews();
  void draw();
  void drawTable(int top, int rows);
  void drawHelp(int top, int rows);
  void put(int row, const std::string &text, attr_t attributes = A_NORMAL,
           int from = 0);
  std::string title() const;
  void select(int64_t by);

  const ClusterPoller &poller;
  TopView view;
  double interval;
  std::vector<TaskView> tasks;
  std::string selected; ///< task
  SortBy order = SortBy::Cluster;
  uint64_t version = 0;
  int firstColumn = 0;
  size_t firstRow = 0;
  bool isPaused = false, showsHelp = false;
};

void Screen::takeViews() {
  version = poller.version();
  tasks = poller.views();
  sortTasks(tasks, order);
  if (selected.empty() && !tasks.empty())
    selected = tasks.front().task;
}

bool Screen::run() {
  takeViews();
  draw();
  while (true) {
    int key = wgetch(stdscr);
    if (stopRequested())
      return false;
    if (key != ERR && !onKey(key))
      return true;
    bool hasNews = !isPaused && poller.version() != version;
    if (hasNews)
      takeViews();
    if (hasNews || key != ERR)
      draw();
  }
}

void Screen::select(int64_t by) {
  if (tasks.empty())
    return;
  auto found = std::ranges::find(tasks, selected, &TaskView::task);
  int64_t at = found == tasks.end() ? 0 : found - tasks.begin();
  at = std::clamp<int64_t>(at + by, 0, static_cast<int64_t>(tasks.size()) - 1);
  selected = tasks[static_cast<size_t>(at)].task;
}

bool Screen::onKey(int key) {
  bool wasHelp = std::exchange(showsHelp, false);
  switch (key) {
  case 'q':
  case 'Q':
    return false;
  case kEscape:
    return wasHelp; // leaves help first
  case '1':
    view = TopView::Tasks;
    break;
  case '2':
    view = TopView::Links;
    break;
  case '3':
    view = TopView::Graphs;
    break;
  case KEY_UP:
  case 'k':
    select(-1);
    break;
  case KEY_DOWN:
  case 'j':
    select(1);
    break;
  case KEY_LEFT:
    firstColumn = std::max(0, firstColumn - kColumnStep);
    break;
  case KEY_RIGHT:
    firstColumn += kColumnStep;
    break;
  case 's':
    order = static_cast<SortBy>((static_cast<size_t>(order) + 1) % kSortOrders);
    sortTasks(tasks, order);
    break;
  case 'p':
    isPaused = !isPaused;
    break;
  case 'h':
  case '?':
    showsHelp = !wasHelp;
    break;
  default: // KEY_RESIZE: draw() looks at the size
    break;
  }
  return true;
}

/// One line, cut to the width of the screen.
void Screen::put(int row, const std::string &text, attr_t attributes,
                 int from) {
  if (row < 0 || row >= LINES)
    return;
  wmove(stdscr, row, 0);
  wattrset(stdscr, static_cast<int>(attributes));
  size_t begin = std::min(text.size(), static_cast<size_t>(from));
  std::string shown = text.substr(begin, static_cast<size_t>(COLS));
  if (attributes & A_REVERSE) // the whole line
    shown.resize(static_cast<size_t>(COLS), ' ');
  waddnstr(stdscr, shown.c_str(), static_cast<int>(shown.size()));
  wattrset(stdscr, A_NORMAL);
}

std::string Screen::title() const {
  char every[32];
  std::snprintf(every, sizeof every, "every %g s", interval);
  return "graphc-top  " + summaryOf(tasks) + "  (" +
         (isPaused ? "paused" : every) + ", by " + sortName(order) + ")";
}

void Screen::draw() {
  werase(stdscr);
  put(0, title(), A_BOLD);
  int rows = LINES - 3; // title, header, last line
  if (showsHelp)
    drawHelp(1, rows + 1);
  else
    drawTable(1, rows);
  auto found = std::ranges::find(tasks, selected, &TaskView::task);
  if (LINES > 2)
    put(LINES - 1, found == tasks.end() ? "" : detailOf(*found));
  wnoutrefresh(stdscr);
  doupdate(); // what has changed, at once
}

void Screen::drawHelp(int top, int rows) {
  for (size_t i = 0; i < kHelp.size() && static_cast<int>(i) < rows; ++i)
    put(top + static_cast<int>(i), kHelp[i]);
}

void Screen::drawTable(int top, int rows) {
  TopTable table = makeTable(tasks, view);
  put(top, table.header, A_UNDERLINE, firstColumn);
  if (rows <= 0 || table.rows.empty())
    return;
  auto isSelected = [&](size_t row) {
    return tasks[table.tasks[row]].task == selected;
  };
  size_t first = 0;
  while (first + 1 < table.rows.size() && !isSelected(first))
    ++first;
  size_t shown = static_cast<size_t>(rows);
  if (first < firstRow)
    firstRow = first;
  if (first >= firstRow + shown)
    firstRow = first - shown + 1;
  firstRow = std::min(firstRow, table.rows.size() - 1);
  if (table.rows.size() <= shown)
    firstRow = 0;
  for (size_t i = 0; i < shown && firstRow + i < table.rows.size(); ++i) {
    size_t row = firstRow + i;
    attr_t attributes = A_NORMAL;
    TaskState state = tasks[table.tasks[row]].state;
    if (state == TaskState::Lost || state == TaskState::Stopped)
      attributes = A_DIM;
    if (isSelected(row))
      attributes |= A_REVERSE;
    put(top + 1 + static_cast<int>(i), table.rows[row], attributes,
        firstColumn);
  }
}

} // namespace

StatusOr<bool> showScreen(const ClusterPoller &poller, TopView view,
                          double interval) {
  Curses terminal;
  if (!terminal.isOpen()) {
    const char *name = std::getenv("TERM");
    return failedPrecondition(
        "the terminal '" + std::string(name ? name : "") +
        "' is not one that can be drawn on; --once prints the view");
  }
  return Screen(poller, view, interval).run();
}

} // namespace graphc::top
