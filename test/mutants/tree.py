# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The copy of the sources in which mutants are planted, and its build folder. The
# tree that is copied is never written to.
import hashlib
import json
import os
import re
import shutil
import subprocess

from watch import run_watched

class BuildError(Exception):
    """The sources as they are cannot be configured or built."""


def files_of(root):
    """The files of a source tree, without what git and builds keep there."""
    for folder, folders, names in os.walk(root):
        here = os.path.relpath(folder, root)
        folders[:] = sorted(f for f in folders
                            if f not in (".git", ".cache", "__pycache__")
                            and not (here == "." and f.startswith("build")))
        for name in sorted(names):
            yield os.path.normpath(os.path.join(here, name))


def contents(path):
    with open(path, "rb") as file:
        return file.read()


class Tree:
    """DIR, a copy, and DIR/build: laid out as a checkout is, so that ccache
    knows what was compiled there."""

    def __init__(self, original, folder, jobs):
        self.original = os.path.abspath(original)
        self.source = os.path.abspath(folder)
        self.build = os.path.join(self.source, "build")
        self.jobs = jobs
        self.objects = {}
        self.targets = set()

    def copy(self):
        """Brings the copy to the original's state. Files that are equal keep
        their times, so that a second run builds little."""
        wanted = set(files_of(self.original))
        for path in list(files_of(self.source)):
            if path not in wanted:
                os.remove(os.path.join(self.source, path))
        for path in wanted:
            old = os.path.join(self.original, path)
            new = os.path.join(self.source, path)
            if not os.path.exists(old):
                continue  # a link that leads nowhere
            if os.path.exists(new) and contents(old) == contents(new):
                continue
            os.makedirs(os.path.dirname(new), exist_ok=True)
            shutil.copyfile(old, new)
            shutil.copymode(old, new)

    def configure(self, arguments):
        self.check(["cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                    "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *arguments])
        with open(os.path.join(self.build, "compile_commands.json")) as file:
            for entry in json.load(file):
                out = re.search(r" -o (\S+)", entry["command"]).group(1)
                path = os.path.relpath(entry["file"], self.source)
                self.objects[path] = out
        listed = subprocess.run(["ninja", "-C", self.build, "-t", "targets",
                                 "all"], capture_output=True, text=True,
                                check=True).stdout
        self.targets = {line.split(":")[0] for line in listed.splitlines()}

    def check(self, command):
        """Runs a command that has to succeed."""
        done = run_watched(command, None)
        if done.code != 0:
            raise BuildError(f"'{' '.join(command[:3])} ...' failed:\n"
                             f"{done.output[-3000:]}")

    def make(self, targets):
        """True when the targets could be built."""
        done = run_watched(["ninja", "-C", self.build, f"-j{self.jobs}",
                            *targets], 3600)
        self.output = done.output
        return done.code == 0

    def needed(self, tests):
        """The programs and libraries that tests name, or what they read."""
        made = {}
        for target in self.targets:
            name = os.path.basename(target)
            if re.match(r"(bin|unit)/|lib/.*\.so$", target):
                made[name] = target
        found, words = set(), set()
        for path in self.read_by(tests):
            words |= set(re.findall(r"[\w.-]+", contents(path).decode(
                "utf-8", "replace")))
        for name, target in made.items():
            # Emulated GPUs are libraries that `%gpu` names.
            if name in words or name.startswith("lib") and "gpu" in words:
                found.add(target)
        return sorted(found)

    def read_by(self, tests):
        """Tests and their inputs; with the scripts of all folders where a test
        runs one: scripts run each other."""
        top = os.path.join(self.source, "test")
        paths = {os.path.join(top, test) for test in tests}
        for folder in {os.path.dirname(path) for path in paths}:
            inputs = os.path.join(folder, "Inputs")
            paths |= {os.path.join(inputs, path) for path in files_of(inputs)}
        if any(b"python" in contents(path) for path in paths):
            paths |= {os.path.join(top, path) for path in files_of(top)
                      if path.endswith(".py")}
        return paths

    def object_of(self, path):
        return self.objects.get(path)

    def digest(self, path):
        """What the compiler made of a file; None where that is unknown."""
        made = os.path.join(self.build, self.objects.get(path, ""))
        if not os.path.isfile(made):
            return None
        return hashlib.sha256(contents(made)).hexdigest()

    def plant(self, mutant):
        path = os.path.join(self.source, mutant.path)
        self.kept = contents(path)
        text = self.kept.decode()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:mutant.begin] + mutant.text + text[mutant.end:])

    def restore(self, mutant):
        """The file as it was; the original may have changed meanwhile."""
        with open(os.path.join(self.source, mutant.path), "wb") as file:
            file.write(self.kept)
