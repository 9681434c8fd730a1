// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens of the text language that a regular expression cannot tell: ends of
// lines that end statements, and floats, whose dot is not that of a range.
#include <tree_sitter/parser.h>

enum ExternalToken { LINE_END, FLOAT };

static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }

static void skip_digits(TSLexer *lexer) {
  while (is_digit(lexer->lookahead))
    lexer->advance(lexer, false);
}

// Takes an exponent behind the digits of a number, if one is there whole.
static bool scan_exponent(TSLexer *lexer) {
  if (lexer->lookahead != 'e' && lexer->lookahead != 'E')
    return false;
  lexer->advance(lexer, false);
  if (lexer->lookahead == '+' || lexer->lookahead == '-')
    lexer->advance(lexer, false);
  if (!is_digit(lexer->lookahead))
    return false;
  skip_digits(lexer);
  lexer->mark_end(lexer);
  return true;
}

// Takes `0.5`, `1.`, `.5`, `2e-3`; false for integers, `0..n` and `...`.
static bool scan_float(TSLexer *lexer) {
  bool has_digits = is_digit(lexer->lookahead);
  skip_digits(lexer);
  bool has_dot = lexer->lookahead == '.';
  if (has_dot) {
    lexer->advance(lexer, false);
    if (lexer->lookahead == '.' || !(has_digits || is_digit(lexer->lookahead)))
      return false;
    skip_digits(lexer);
    lexer->mark_end(lexer);
  }
  if (!has_digits && !has_dot)
    return false;
  return scan_exponent(lexer) || has_dot;
}

static bool is_space(int32_t c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_spaces(TSLexer *lexer) {
  while (is_space(lexer->lookahead))
    lexer->advance(lexer, false);
}

// Comments in a row that may stand before an `else`: each is looked at once for
// each line before it.
enum { MAX_COMMENTS = 32 };

// True where `else` is next, which belongs to the `if` of a line before.
static bool goes_on_with_else(TSLexer *lexer) {
  for (int i = 0; i < MAX_COMMENTS && lexer->lookahead == '#'; ++i) {
    while (lexer->lookahead != '\n' && !lexer->eof(lexer))
      lexer->advance(lexer, false);
    skip_spaces(lexer);
  }
  for (const char *word = "else"; *word; ++word) {
    if (lexer->lookahead != *word)
      return false;
    lexer->advance(lexer, false);
  }
  return is_space(lexer->lookahead) || lexer->lookahead == '{';
}

bool tree_sitter_graphc_external_scanner_scan(void *payload, TSLexer *lexer,
                                              const bool *valid) {
  (void)payload;
  while (is_space(lexer->lookahead) &&
         !(lexer->lookahead == '\n' && valid[LINE_END]))
    lexer->advance(lexer, true);
  if (lexer->lookahead == '\n') {
    skip_spaces(lexer);
    lexer->mark_end(lexer);
    lexer->result_symbol = LINE_END;
    return !goes_on_with_else(lexer);
  }
  lexer->result_symbol = FLOAT;
  return valid[FLOAT] && scan_float(lexer);
}

// There is no state between tokens.
void *tree_sitter_graphc_external_scanner_create(void) { return 0; }
void tree_sitter_graphc_external_scanner_destroy(void *payload) {
  (void)payload;
}
unsigned tree_sitter_graphc_external_scanner_serialize(void *payload,
                                                       char *buffer) {
  (void)payload;
  (void)buffer;
  return 0;
}
void tree_sitter_graphc_external_scanner_deserialize(void *payload,
                                                     const char *buffer,
                                                     unsigned length) {
  (void)payload;
  (void)buffer;
  (void)length;
}
