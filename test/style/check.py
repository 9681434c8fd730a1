#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The rules of the code that a program can check. One function per rule; each
# yields (file, line, what is wrong and the cure).
#
#   check.py FOLDER [RULE...]   checks the tree in FOLDER, by all rules or some;
#                               prints one line per finding, exits 1 if any
import os
import re
import sys

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
COMMENT = {
    ".cpp": "//", ".cc": "//", ".c": "//", ".h": "//", ".cu": "//",
    ".td": "//", ".fbs": "//", ".proto": "//",
    ".py": "#", ".cmake": "#", ".sh": "#", "CMakeLists.txt": "#",
}
CPP = (".cpp", ".cc", ".c", ".h", ".cu", ".td")

# The folders of runtime/, each with what it may include beside itself. A folder
# in one that has a layer of its own is named with it.
LAYERS = {
    "base": "",
    "metrics": "base",
    "metrics/prometheus": "base metrics",
    "format": "base",
    "target": "base format",
    "target/cpu": "base format target target/cpu/format",
    "target/cuda": "base format target target/cuda/format",
    "target/cpu/format": "base format",
    "target/cuda/format": "base format",
    "data": "base format",
    "checkpoint": "base format data",
    "summary": "base format",
    "profile": "base format",
    "executor": "base format target target/cpu",
    "state": "base format target target/cpu executor data",
    "json": "base",
    "cluster": "base format json",
    "protocol": "base format target target/cpu data cluster",
    "link": "base cluster",
    "task": "base metrics format target target/cpu executor data state "
            "checkpoint cluster protocol link",
    "client": "base format data state checkpoint cluster protocol",
    "sim": "base format state cluster protocol link task client",
    "transport": "base metrics format cluster protocol link task client",
    "rpc": "base metrics format data cluster protocol link task client transport",
    "session": "base metrics format target target/cpu executor data state "
               "checkpoint summary cluster protocol client",
    "inspect": "base format target target/cpu executor data",
}
# The libraries beside the runtime, each with the folders of runtime/ that it may
# include. Tools link them; neither the runtime nor the compiler does.
BESIDE_RUNTIME = {
    "report": "base format",
    "deploy": "base format state cluster protocol",
}
COMPILER_TOOLS = ("graphc", "graphc-opt", "graphc-fmt", "graphc-lsp", "graphc-tblgen")
COMPILER_HEADERS = ("llvm/", "llvm-c/", "mlir/", "mlir-c/", "clang/", "lld/",
                    "dialects/", "graphc/", "lib/")


class Tree:
    """The text files of a checkout, without what is built."""

    def __init__(self, root):
        self.root = root
        self.files = []
        for folder, folders, names in os.walk(root):
            here = os.path.relpath(folder, root)
            folders[:] = sorted(
                f for f in folders
                if f not in (".git", ".cache", "__pycache__", "Inputs")
                and not (here == "." and f.startswith("build")))
            self.files += [os.path.normpath(os.path.join(here, n))
                           for n in sorted(names)]
        self.cache = {}

    def lines(self, path):
        """The lines of a file; a file that is not text has none."""
        if path not in self.cache:
            try:
                with open(os.path.join(self.root, path), encoding="utf-8") as f:
                    self.cache[path] = f.read().splitlines()
            except UnicodeDecodeError:
                self.cache[path] = []
        return self.cache[path]

    def comment_of(self, path):
        """How comments start in a source file; None for other files."""
        name = os.path.basename(path)
        suffix = os.path.splitext(name)[1]
        if name in COMMENT or suffix in COMMENT:
            return COMMENT.get(name) or COMMENT[suffix]
        first = self.lines(path)[:1]
        return "#" if first and first[0].startswith("#!") else None

    def includes(self, path):
        """The included headers: (line number, spelling without brackets)."""
        if not path.endswith(CPP):
            return
        for number, line in enumerate(self.lines(path), 1):
            found = re.match(r'\s*#?\s*include\s+["<]([^">]+)[">]', line)
            if found:
                yield number, found.group(1)


def check_header(tree):
    """The licence line first, then a comment that says what the file is for."""
    for path in tree.files:
        comment = tree.comment_of(path)
        if comment is None:
            continue
        lines = tree.lines(path)
        start = 1 if lines and lines[0].startswith("#!") else 0
        if lines[start:start + 1] != [f"{comment} {SPDX}"]:
            yield (path, start + 1,
                   f"the file must start with '{comment} {SPDX}'")
            continue
        if os.path.basename(path) == "CMakeLists.txt":
            continue  # its folder says what it is for
        if (not path.endswith(".h")
                and os.path.splitext(path)[0] + ".h" in tree.files):
            continue  # its header says it
        text = " ".join(lines[start + 1:start + 3]).strip()
        if not re.match(rf'({re.escape(comment)}|"""|/\*)\s*\S', text):
            yield path, start + 2, ("no comment says what the file is for; "
                                    "write one below the licence line")


def check_guards(tree):
    """A header's guard is its path."""
    for path in tree.files:
        if not path.endswith(".h"):
            continue
        guard = re.sub(r"[^A-Z0-9]", "_", path[:-2].upper())
        guard = "GRAPHC_" + guard + "_H"
        lines = tree.lines(path)
        pair = [f"#ifndef {guard}", f"#define {guard}"]
        if not any(lines[i:i + 2] == pair for i in range(len(lines))):
            yield path, 1, f"the guard must be '{guard}'"


def layer_of(path):
    """The layer of a file under runtime/: its folder's, or that of a folder
    around it."""
    parts = path.split("/")[1:-1]
    while len(parts) > 1 and "/".join(parts) not in LAYERS:
        parts.pop()
    return "/".join(parts)


def forbidden_in_runtime(path, header):
    """Why a file under runtime/ may not include a header, or None."""
    folder = layer_of(path)
    if header.startswith(COMPILER_HEADERS + ("tools/",)):
        return "what runs must not know the compiler"
    if header.split("/")[0] in BESIDE_RUNTIME:
        return "the runtime must not know what is made with it"
    if re.match(r"grpc|google/protobuf/", header) and folder != "rpc":
        return "only runtime/rpc may include gRPC"
    if (re.match(r"(cuda|cublas|cudnn|nv)\w*\.h$", header)
            and not folder.startswith("target/cuda")):
        return "only runtime/target/cuda may include CUDA"
    if not header.startswith("runtime/"):
        return None
    other = layer_of(header)
    if folder not in LAYERS or other not in LAYERS:
        unknown = other if folder in LAYERS else folder
        return f"'runtime/{unknown}' has no layer; give it one in this checker"
    if other != folder and other not in LAYERS[folder].split():
        return (f"runtime/{folder} may include: "
                f"{LAYERS[folder] or 'nothing else of runtime/'}")
    return None


def forbidden_beside_runtime(path, header):
    """The same for the folders of BESIDE_RUNTIME."""
    folder = path.split("/")[0]
    other = header.split("/")
    if header.startswith(COMPILER_HEADERS + ("tools/",)):
        return f"{folder} must know neither the compiler nor the tools"
    if other[0] in BESIDE_RUNTIME and other[0] != folder:
        return "libraries beside the runtime must not include each other"
    if other[0] == "runtime" and other[1] not in BESIDE_RUNTIME[folder].split():
        return f"of the runtime, {folder} may include: {BESIDE_RUNTIME[folder]}"
    return None


def forbidden_in_compiler(path, header):
    """The same for dialects/, include/ and lib/."""
    if header.startswith("tools/"):
        return "tools are the outermost layer"
    if header.split("/")[0] in BESIDE_RUNTIME:
        return "only tools may include it"
    if header.startswith("runtime/"):
        if not re.fullmatch("base|format|cluster|json|target/[^/]*/format",
                            layer_of(header)):
            return ("of the runtime, the compiler may include base, format, "
                    "cluster, json and the formats of targets")
    elif (path.startswith("dialects/")
          and header.startswith(("lib/", "graphc/"))):
        return "the languages must not know the compiler's stages"
    return None


def forbidden_in_tools(path, header):
    """The same for tools/NAME; tools/flags is what all tools share."""
    tool = path.split("/")[1]
    other = header.split("/")[1] if header.startswith("tools/") else tool
    if other not in (tool, "flags"):
        return ("tools must not include each other; what they share is in "
                "tools/flags")
    if tool in COMPILER_TOOLS:
        return None
    if header.startswith(COMPILER_HEADERS):
        return "what runs must not know the compiler"
    return None


def check_layers(tree):
    """Includes point inwards only."""
    rules = {"runtime": forbidden_in_runtime, "tools": forbidden_in_tools,
             "dialects": forbidden_in_compiler, "lib": forbidden_in_compiler,
             "include": forbidden_in_compiler}
    rules.update(dict.fromkeys(BESIDE_RUNTIME, forbidden_beside_runtime))
    for path in tree.files:
        rule = rules.get(path.split("/")[0])
        for number, header in tree.includes(path) if rule else ():
            why = rule(path, header)
            if why:
                yield (path, number,
                       f"'{header}' may not be included here: {why}")


# The folders in which names of targets are looked for, and those of the targets.
TARGET_ROOTS = ("runtime/", "tools/", "report/", "deploy/")
TARGET_FOLDERS = ("runtime/target/cuda/", "lib/target/cuda/")
TARGET_NAMES = re.compile(r"cuda|ptx|cublas|cudnn|nccl|(?-i:GPU)", re.IGNORECASE)
# The compiler's languages have devices of all types in their examples.
COMPILER_ROOTS = ("lib/", "dialects/", "include/")
TARGETS_IN_COMPILER = re.compile(r'cuda|ptx|cublas|cudnn|nccl|(?-i:"GPU")',
                                 re.IGNORECASE)
TARGET_LIST = "test/style/target-names.txt"


def listed_files(tree, where):
    """The files that a list exempts from a rule: path to (line, reason)."""
    listed = {}
    for number, line in enumerate(
            tree.lines(where) if where in tree.files else (), 1):
        path, _, reason = line.partition(" ")
        if path and not path.startswith("#"):
            listed[path] = (number, reason.strip())
    return listed


def target_names(path):
    """What names a target in a file; null where any may be named."""
    if path.startswith(TARGET_FOLDERS):
        return None
    if path.startswith(COMPILER_ROOTS):
        return TARGETS_IN_COMPILER
    return TARGET_NAMES if path.startswith(TARGET_ROOTS) else None


def check_targets(tree):
    """Only a target's folders name it, and the files that are listed."""
    listed = listed_files(tree, TARGET_LIST)
    for path, (number, reason) in listed.items():
        if not reason:
            yield TARGET_LIST, number, f"say why '{path}' names a target"
        names = target_names(path)
        if not names or not any(map(
                names.search, tree.lines(path) if path in tree.files else ())):
            yield TARGET_LIST, number, f"'{path}' names no target; leave it out"
    for path in tree.files:
        names = None if path in listed else target_names(path)
        for number, line in enumerate(tree.lines(path) if names else (), 1):
            found = names.search(line)
            if found:
                yield path, number, (
                    f"'{found.group()}' names a target; use a word such as "
                    "device or accelerator, or ask runtime/target, or give the "
                    f"reason in {TARGET_LIST}")


TYPE_SWITCH = re.compile(r"\bTypeSwitch<")
SWITCH_LIST = "test/style/type-switches.txt"


def check_switches(tree):
    """Passes ask an interface of an op or attribute in place of its type; only
    the files that are listed switch over types."""
    listed = listed_files(tree, SWITCH_LIST)
    found = {}
    for path in tree.files:
        if path.startswith("lib/") and path.endswith(CPP):
            for number, line in enumerate(tree.lines(path), 1):
                if TYPE_SWITCH.search(line):
                    found.setdefault(path, number)
    for path, (number, reason) in listed.items():
        if not reason:
            yield SWITCH_LIST, number, f"say why '{path}' switches over types"
        if path not in found:
            yield (SWITCH_LIST, number,
                   f"'{path}' switches over no types; leave it out")
    for path, number in found.items():
        if path not in listed:
            yield path, number, (
                "a switch over types; ask an interface that each op or "
                "attribute implements (dialects/tfir), or give the reason "
                f"in {SWITCH_LIST}")


RIDDLES = re.compile(r"(What|How|Whether|By what|Why|Where)\b")


def check_words(tree):
    """The first sentence of a file, class or function says what it is or does,
    by a verb or a noun of the field."""
    for path in tree.files:
        if not path.endswith(CPP + (".fbs", ".proto")):
            continue
        before = ""
        for number, line in enumerate(tree.lines(path), 1):
            text = line.strip()
            if text.startswith("///"):
                begins = not before.startswith("///")
                text = text.lstrip("/ ")
            else:
                begins = SPDX in before
                text = text[3:] if text.startswith("// ") else ""
            found = begins and RIDDLES.match(text)
            if found:
                yield path, number, (
                    f"begin with a verb or a noun of the field, not with "
                    f"'{found.group()}': \"Finds ...\", \"True when ...\"")
            before = line.strip()


# A type that a header defines in its outermost namespaces.
TYPE = re.compile(r"(?:class|struct|union|enum(?: class)?)\s+(\w+)"
                  r"(?:\s+final)?\s*(?:[:{]|$)(?!:)")


def check_names(tree):
    """Each header, and each type that a header defines, has its own name."""
    headers, types = {}, {}
    for path in tree.files:
        if not path.endswith(".h"):
            continue
        other = headers.setdefault(os.path.basename(path), path)
        if other != path:
            yield path, 1, (f"'{other}' has the same name; name one of them "
                            "after what distinguishes it")
        for number, line in enumerate(tree.lines(path), 1):
            found = TYPE.match(line)
            first = (types.setdefault(found.group(1), f"{path}:{number}")
                     if found else f"{path}:{number}")
            if first != f"{path}:{number}":
                yield path, number, (
                    f"'{found.group(1)}' is also defined at {first}; name one "
                    "of them after what distinguishes it")


MAX_FILES = 30


def check_folders(tree):
    """A folder has at most 30 files of code, definitions of ops and passes among
    them."""
    folders = {}
    for path in tree.files:
        if path.endswith(CPP):
            folders.setdefault(os.path.dirname(path), []).append(path)
    for folder, paths in folders.items():
        if len(paths) > MAX_FILES:
            yield paths[MAX_FILES], 1, (
                f"'{folder}' has {len(paths)} files of code, and {MAX_FILES} are "
                "the most; move one concept of it into a folder of its own")


def check_options(tree):
    """Command-line options are bound in tools/ only."""
    for path in tree.files:
        if not path.endswith(CPP) or path.startswith(("tools/", "test/")):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if re.search(r"\bcl::(opt|list|bits|alias)\b", line):
                yield path, number, ("command-line options belong to tools/; "
                                     "pass a field of an options struct")


def check_todo(tree):
    """What is left to do has an issue."""
    for path in tree.files:
        if (tree.comment_of(path) is None
                and not path.endswith((".tfir", ".mlir", ".test"))
                or path.startswith("test/style/")):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            for word in re.findall(r"\b(?:TODO|FIXME|HACK|XXX)\b.{0,8}", line):
                if not re.match(r"TODO\(#\d+\):", word):
                    yield path, number, ("do it now, or open an issue and "
                                         "write 'TODO(#NUMBER): ...'")


CHECKS = re.compile(
    r"FileCheck|-verify-diagnostics|-verify-roundtrip|\b(diff|cmp|not)\b|"
    r"\b\w+Test\b|\bcheck[-\w]*\.py|\bcheck\b|--conform\b|\bshellcheck\b|"
    # a checker of the folder's own, which compares with numpy
    r"%python[^|;&]* %S/\w+\.py")


def check_tests(tree):
    """A test runs something and compares what comes out."""
    for path in tree.files:
        if (not path.startswith("test/")
                or not path.endswith((".tfir", ".mlir", ".test"))):
            continue
        runs = [l for l in tree.lines(path) if re.search(r"\bRUN:", l)]
        if not runs:
            yield path, 1, "no RUN line; say how to run the test"
        elif not any(CHECKS.search(l) for l in runs):
            yield path, 1, ("the test checks nothing; pipe into FileCheck, or "
                            "use -verify-diagnostics, diff, cmp, not or a "
                            "test program")


def check_unit_tests(tree):
    """Each unit test program is run by a lit test beside it."""
    for path in tree.files:
        if (not path.startswith("test/")
                or os.path.basename(path) != "CMakeLists.txt"):
            continue
        folder = os.path.dirname(path)
        runs = "\n".join(
            line for other in tree.files
            if os.path.dirname(other) == folder and other.endswith(".test")
            for line in tree.lines(other) if "RUN:" in line)
        for number, line in enumerate(tree.lines(path), 1):
            found = re.match(r"\s*graphc_unit_test\(\s*(\w+)", line)
            if found and not re.search(rf"\b{found.group(1)}\b", runs):
                yield path, number, (
                    "no .test file in this folder has "
                    f"'RUN: {found.group(1)}', so it never runs")


def check_paths(tree):
    """No path of a developer's machine."""
    for path in tree.files:
        if path.startswith("test/style/"):
            continue
        for number, line in enumerate(tree.lines(path), 1):
            if re.search(r"(?<![\w.$}/-])/(home|root|Users)/\w", line):
                yield path, number, ("a path of one machine; use one relative "
                                     "to the repository or a variable")


RULES = {
    "header": check_header,
    "guards": check_guards,
    "layers": check_layers,
    "targets": check_targets,
    "switches": check_switches,
    "words": check_words,
    "names": check_names,
    "folders": check_folders,
    "options": check_options,
    "todo": check_todo,
    "tests": check_tests,
    "unit-tests": check_unit_tests,
    "paths": check_paths,
}


def main(arguments):
    if not arguments or not os.path.isdir(arguments[0]):
        print("check.py: give the folder to check", file=sys.stderr)
        return 2
    names = arguments[1:] or list(RULES)
    unknown = [n for n in names if n not in RULES]
    if unknown:
        print(f"check.py: no rule '{unknown[0]}'; there are "
              f"{', '.join(RULES)}", file=sys.stderr)
        return 2
    tree = Tree(arguments[0])
    if not tree.files:
        print(f"check.py: '{arguments[0]}' holds no file", file=sys.stderr)
        return 2
    findings = 0
    for name in names:
        for path, line, text in RULES[name](tree):
            print(f"{path}:{line}: {name}: {text}")
            findings += 1
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
