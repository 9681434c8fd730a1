// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the errors and captures of texts by the tree-sitter grammar:
//
//   highlight-texts HIGHLIGHTS.scm FILE...
//
// A line is FILE:error:LINE:COLUMN or FILE:CAPTURE:BEGIN:END with offsets of
// bytes.
#include <tree_sitter/api.h>

#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

extern "C" const TSLanguage *tree_sitter_graphc();

namespace {

/// Reads a file; false when it cannot be read.
bool readFile(const std::string &path, std::string &content) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  content = bytes.str();
  return file.good();
}

/// Query of highlights, with the `#match?` conditions of its patterns.
class Highlights {
public:
  explicit Highlights(const std::string &source) {
    uint32_t offset = 0;
    TSQueryError error = TSQueryErrorNone;
    query.reset(ts_query_new(tree_sitter_graphc(), source.data(), source.size(),
                             &offset, &error));
    if (!query) {
      std::cerr << "highlight-texts: the query is wrong at its byte " << offset
                << ": " << source.substr(offset, 40) << '\n';
      return;
    }
    for (uint32_t i = 0; i < ts_query_pattern_count(query.get()); ++i)
      readConditions(i);
  }

  bool isGood() const { return query && good; }

  void print(const std::string &path, const std::string &text,
             TSNode root) const {
    std::unique_ptr<TSQueryCursor, void (*)(TSQueryCursor *)> cursor(
        ts_query_cursor_new(), ts_query_cursor_delete);
    ts_query_cursor_exec(cursor.get(), query.get(), root);
    TSQueryMatch match;
    while (ts_query_cursor_next_match(cursor.get(), &match)) {
      if (!holds(match, text))
        continue;
      for (uint16_t i = 0; i < match.capture_count; ++i)
        std::cout << path << ':' << captureName(match.captures[i].index) << ':'
                  << ts_node_start_byte(match.captures[i].node) << ':'
                  << ts_node_end_byte(match.captures[i].node) << '\n';
    }
  }

private:
  struct Condition {
    uint32_t capture;
    std::regex pattern;
  };

  std::string captureName(uint32_t index) const {
    uint32_t length = 0;
    return ts_query_capture_name_for_id(query.get(), index, &length);
  }

  std::string stringValue(uint32_t index) const {
    uint32_t length = 0;
    return ts_query_string_value_for_id(query.get(), index, &length);
  }

  void readConditions(uint32_t pattern) {
    uint32_t count = 0;
    const TSQueryPredicateStep *steps =
        ts_query_predicates_for_pattern(query.get(), pattern, &count);
    for (uint32_t i = 0; i < count; i += 4) {
      if (i + 3 >= count || stringValue(steps[i].value_id) != "match?" ||
          steps[i + 3].type != TSQueryPredicateStepTypeDone) {
        std::cerr << "highlight-texts: pattern " << pattern << " has a "
                  << "condition other than (#match? @capture \"regex\")\n";
        good = false;
        return;
      }
      conditions[pattern].push_back(
          {steps[i + 1].value_id,
           std::regex(stringValue(steps[i + 2].value_id))});
    }
  }

  bool holds(const TSQueryMatch &match, const std::string &text) const {
    auto found = conditions.find(match.pattern_index);
    if (found == conditions.end())
      return true;
    for (const Condition &condition : found->second)
      for (uint16_t i = 0; i < match.capture_count; ++i) {
        const TSQueryCapture &capture = match.captures[i];
        uint32_t begin = ts_node_start_byte(capture.node);
        uint32_t end = ts_node_end_byte(capture.node);
        if (capture.index == condition.capture &&
            !std::regex_search(text.substr(begin, end - begin),
                               condition.pattern))
          return false;
      }
    return true;
  }

  std::unique_ptr<TSQuery, void (*)(TSQuery *)> query{nullptr, ts_query_delete};
  std::map<uint32_t, std::vector<Condition>> conditions;
  bool good = true;
};

/// Prints the ERROR and MISSING nodes in a node.
void printErrors(const std::string &path, TSNode node) {
  if (!ts_node_has_error(node))
    return;
  if (ts_node_is_missing(node) ||
      std::strcmp(ts_node_type(node), "ERROR") == 0) {
    TSPoint at = ts_node_start_point(node);
    std::cout << path << ":error:" << at.row + 1 << ':' << at.column + 1
              << '\n';
  }
  for (uint32_t i = 0; i < ts_node_child_count(node); ++i)
    printErrors(path, ts_node_child(node, i));
}

} // namespace

int main(int argc, char **argv) {
  std::string source;
  if (argc < 2 || !readFile(argv[1], source)) {
    std::cerr << "usage: highlight-texts HIGHLIGHTS.scm FILE...\n";
    return 2;
  }
  Highlights highlights(source);
  if (!highlights.isGood())
    return 1;
  std::unique_ptr<TSParser, void (*)(TSParser *)> parser(ts_parser_new(),
                                                         ts_parser_delete);
  if (!ts_parser_set_language(parser.get(), tree_sitter_graphc())) {
    std::cerr << "highlight-texts: libtree-sitter does not know the version of "
                 "parser.c; generate it anew\n";
    return 1;
  }
  for (int i = 2; i < argc; ++i) {
    std::string text;
    if (!readFile(argv[i], text)) {
      std::cerr << "highlight-texts: cannot read '" << argv[i] << "'\n";
      return 1;
    }
    std::unique_ptr<TSTree, void (*)(TSTree *)> tree(
        ts_parser_parse_string(parser.get(), nullptr, text.data(), text.size()),
        ts_tree_delete);
    TSNode root = ts_tree_root_node(tree.get());
    printErrors(argv[i], root);
    highlights.print(argv[i], text, root);
  }
  return 0;
}
