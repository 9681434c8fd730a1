// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grammar of the text language (docs/language.md) for tree-sitter. It accepts every
// text that graphc parses, and leaves to graphc what depends on names and types.

const PREC = {
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  sum: 5,
  product: 6,
  negation: 7,
  power: 8,
  postfix: 9,
};

// Rules separated by commas, of which one may stand at the end.
const list = (rule) => optional(seq(rule, repeat(seq(',', rule)), optional(',')));

// Binary operators of one level.
const binary = ($, level, ...operators) =>
  prec.left(PREC[level], seq(
    field('left', $._expression),
    field('operator', choice(...operators)),
    field('right', $._expression)));

module.exports = grammar({
  name: 'graphc',

  // src/scanner.c: a line ends a statement only where the statement may end, and the
  // dot of `0..n` belongs to no number.
  externals: $ => [$._line_end, $.float],
  extras: $ => [/[ \t\r\n]/, $.comment],
  word: $ => $.identifier,

  rules: {
    text: $ => seq($.header, repeat($._separated)),
    header: $ => seq('tfir', field('version', $.integer), optional(field('name', $._name))),
    _separated: $ => seq(choice(';', $._line_end), optional($._statement)),
    block: $ => seq('{', optional($._statement), repeat($._separated), '}'),

    _statement: $ => choice(
      $.import, $.let, $.dataset, $.variable, $.func, $.graph, $.for, $.if, $.scope,
      $.device, $.colocate, $.average, $.return, $.assignment, $.update, $.call),

    import: $ => seq('import', field('file', $._expression)),
    let: $ => seq('let', field('name', $.identifier), '=', field('value', $._expression)),
    dataset: $ => seq(
      'dataset', field('name', $._name), field('fields', $.parameters), repeat($.setting)),
    variable: $ => seq(
      'variable', field('name', $._name), optional($.copies), ':',
      field('type', $.type), '=', field('value', $._expression), repeat($.setting)),
    copies: $ => seq(
      '[', optional(seq(field('index', $.identifier), 'in', $._expression, '..')),
      $._expression, ']'),
    setting: $ => seq(
      optional(','), field('name', $.identifier), '=', field('value', $._expression)),
    func: $ => seq(
      'func', field('name', $.identifier), field('parameters', $.parameters),
      field('body', $.block)),
    graph: $ => seq(
      'graph', field('name', $._name), field('parameters', $.parameters),
      optional($.results), field('body', $.block)),
    parameters: $ => seq('(', list($.declared), ')'),
    results: $ => seq('->', '(', list($.declared), ')'),
    declared: $ => seq(field('name', $._name), optional(seq(':', field('type', $.type)))),

    for: $ => seq(
      'for', field('index', $.identifier), 'in', $._expression,
      optional(seq('..', $._expression)), field('body', $.block)),
    if: $ => seq(
      'if', field('condition', $._expression), field('body', $.block),
      optional(seq('else', field('otherwise', choice($.block, $.if))))),
    scope: $ => seq('scope', field('name', $._expression), field('body', $.block)),
    device: $ => seq(
      'device', field('name', $._expression), optional($.results),
      field('body', $.block)),
    colocate: $ => seq('colocate', field('with', $._expression), field('body', $.block)),
    average: $ => seq('average', field('body', $.block)),
    return: $ => seq(
      'return', optional(seq($._expression, repeat(seq(',', $._expression))))),
    assignment: $ => seq(
      $.declared, repeat(seq(',', $.declared)), '=', field('value', $._expression)),
    update: $ => seq(
      field('target', $._expression), field('operator', choice(':=', '+=', '-=')),
      field('value', $._expression)),

    type: $ => seq(
      field('element', alias($.identifier, $.element_type)),
      optional(seq('[', list($._expression), ']'))),

    _expression: $ => choice(
      $.binary, $.unary, $.subscript, $.call, $.list, $.parenthesized, $.identifier,
      $.integer, $.float, $.string, $.raw, $.open, $.boolean, $.constant),

    binary: $ => choice(
      binary($, 'or', 'or'),
      binary($, 'and', 'and'),
      binary($, 'comparison', '==', '!=', '<', '<=', '>', '>='),
      binary($, 'sum', '+', '-'),
      binary($, 'product', '*', '/', '//', '%', '@'),
      prec.right(PREC.power, seq(
        field('left', $._expression), field('operator', '**'),
        field('right', $._expression)))),
    unary: $ => choice(
      prec(PREC.not, seq(field('operator', 'not'), $._expression)),
      prec(PREC.negation, seq(field('operator', '-'), $._expression))),
    subscript: $ => prec(PREC.postfix, seq(
      field('value', $._expression), '[', list($._index), ']')),
    _index: $ => choice($.ellipsis, $._expression, $.range),
    range: $ => seq(
      optional(field('begin', $._expression)), ':', optional(field('end', $._expression))),
    ellipsis: _ => '...',
    call: $ => seq(field('function', $.identifier), field('arguments', $.arguments)),
    arguments: $ => seq('(', list(choice($._expression, $.argument)), ')'),
    argument: $ => seq(field('name', $.identifier), '=', field('value', $._expression)),
    list: $ => seq('[', list($._expression), ']'),
    parenthesized: $ => seq('(', $._expression, ')'),

    _name: $ => choice($.identifier, $.string),
    // With the family of an operation before its name: summary.scalar.
    identifier: _ => /[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?/,
    integer: _ => token(choice(/[0-9]+/, /0[xX][0-9a-fA-F]*/)),
    open: _ => '?',
    boolean: _ => choice('true', 'false'),
    constant: _ => choice('inf', 'nan', 'forever'),
    raw: _ => /`[^`\n]*`/,

    string: $ => seq(
      '"', repeat(choice($.interpolation, $.escape, $._characters)), token.immediate('"')),
    interpolation: _ => token.immediate(prec(2, /\{[ \t]*[A-Za-z_][A-Za-z0-9_]*[ \t]*\}/)),
    escape: _ => token.immediate(prec(1, choice(/\\./, '{{', '}}'))),
    _characters: _ => token.immediate(prec(1, choice(/[^"\\\n{}]+/, '{', '}'))),

    comment: _ => /#[^\n]*/,
  },
});
