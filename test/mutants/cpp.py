# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reading of C++ as far as mutants need it: which characters of a file are code,
# where brackets close, where statements end. Nothing here is a parser; what it
# gets wrong does not compile and is not counted.
import re

LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![\w'])'(?:\\.|[^'\\\n])+'|^[ \t]*#(?:[^\n\\]|\\.|\\\n)*",
    re.DOTALL | re.MULTILINE)
# What makes the text of an error or of a log, and what is compiled out.
TEXTS = re.compile(
    r"\b(?:static_)?assert\(|\bllvm_unreachable\(|\bGRAPHC_CHECK\w*\(|"
    r"\bLLVM_DEBUG\(|\bnotifyMatchFailure\(|\.reserve\(|->reserve\(|"
    r"\bstatic_cast<void>\(|\bdata_?[lL]oss\(|\binvalid\w*\(|\bunavailable\(|"
    r"\bbadFrame\(|\boutOfBounds\(|\bmakeError\(|\bjson\.error\(|"
    r"\binternal\w*\(|\bfailedPrecondition\(|\bunimplemented\(|"
    r"\bStatus\(StatusCode::|\bllvm::errs\(\)|\bstd::(?:cerr|clog)\b|"
    r"\bemit(?:Op)?(?:Error|Warning|Remark)\(|\battachNote\(|"
    r"\bto_string\(|\b\w*(?:[tT]ext|[dD]escri\w+)\(")
OPEN, CLOSE = "([{", ")]}"


def code_of(text):
    """A text of the same length without comments, literals of text and
    directives. Quotes stay, so that arguments are not empty."""
    def hide(found):
        piece = found.group(0)
        if piece[0] in "\"'R" and len(piece) > 1:
            return '"' + re.sub(r"[^\n]", "_", piece[1:-1]) + '"'
        return re.sub(r"[^\n]", " ", piece)
    return LITERAL.sub(hide, text)


def closing(code, begin):
    """The place of the bracket that closes the one at `begin`, or None."""
    depth = 0
    for place in range(begin, len(code)):
        if code[place] in OPEN:
            depth += 1
        elif code[place] in CLOSE:
            depth -= 1
            if depth == 0:
                return place
    return None


def end_of_statement(code, begin):
    """The place of the `;` that ends what begins here, of the bracket that
    encloses it, or of the end of the body where a function begins here."""
    place = begin
    while place < len(code) and code[place] not in ";" + CLOSE:
        if code[place] in OPEN:
            is_body = code[place] == "{" and re.search(
                r"\)(?:\s*(?:const|override))*\s*$", code[:place][-60:])
            place = closing(code, place) or len(code) - 1
            if is_body:
                return place
        place += 1
    return place


def live_of(code):
    """The same text without the statements that only make texts: an error's
    words are not what tests are measured by."""
    live = list(code)
    for found in TEXTS.finditer(code):
        end = end_of_statement(code, found.start())
        for place in range(found.start(), min(end, len(code))):
            if live[place] != "\n":
                live[place] = " "
    return "".join(live)


def split_at(code, begin, end, separators):
    """The pieces of [begin, end) between separators outside of brackets, as
    pairs of places, and the separators that were found."""
    pieces, found, start, place = [], [], begin, begin
    while place < end:
        if code[place] in OPEN:
            place = (closing(code, place) or end) + 1
            continue
        here = next((s for s in separators if code.startswith(s, place)), None)
        if here:
            pieces.append((start, place))
            found.append(here)
            place += len(here)
            start = place
            continue
        place += 1
    pieces.append((start, end))
    return pieces, found


def trimmed(code, piece):
    """A piece without the blanks at its ends."""
    begin, end = piece
    while begin < end and code[begin].isspace():
        begin += 1
    while end > begin and code[end - 1].isspace():
        end -= 1
    return begin, end


def bodies_of(code):
    """Which characters lie within a function: a list of booleans. A body begins
    with a brace behind a parameter list."""
    inside = [False] * len(code)
    place = 0
    while place < len(code):
        if code[place] == "{":
            before = code[max(0, place - 200):place].rstrip()
            if re.search(r"\)(?:\s*(?:const|override|final|mutable|noexcept|"
                         r"->\s*[\w:<>&* ]+))*$", before) or re.search(
                             r"\)\s*:\s[^;{}]*(?:\{[^;{}]*\}[^;{}]*)*[)}]$",
                             before):
                end = closing(code, place) or len(code) - 1
                inside[place:end] = [True] * (end - place)
                place = end
        place += 1
    return inside
