# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A terminal for tests: a program on a pty, and the screen that it draws, by those
# control sequences of an xterm that ncurses and graphc-run use. What it does not
# know is an error.
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

CSI = re.compile(rb"\x1b\[([?>]?)([\d;]*)([@A-Za-z])")
SHORT = re.compile(rb"\x1b([78=>M]|[()][0AB])")


class Terminal:
    def __init__(self, command, columns=100, lines=12, env=None):
        self.raw = b""
        self.pending = b""
        self.saved = None  # the main screen while the alternate one is shown
        self.isHidden = False
        self.shape(columns, lines)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm", **(env or {})})
            fcntl.ioctl(0, termios.TIOCSWINSZ,
                        struct.pack("HHHH", lines, columns, 0, 0))
            os.execvp(command[0], command)
        self.before = None

    def shape(self, columns, lines):
        self.columns, self.lines = columns, lines
        self.cells = [[" "] * columns for _ in range(lines)]
        self.row = self.column = 0
        self.top, self.bottom = 0, lines - 1

    def resize(self, columns, lines):
        self.shape(columns, lines)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", lines, columns, 0, 0))

    def send(self, keys):
        os.write(self.fd, keys)

    def mode(self):
        """The terminal's settings."""
        return termios.tcgetattr(self.fd)

    # What comes from the program.
    def pump(self, seconds):
        """False: it has ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            return False
        self.raw += data
        self.pending += data
        self.draw()
        return bool(data)

    def draw(self):
        while self.pending:
            if self.pending[:1] == b"\x1b":
                found = CSI.match(self.pending) or SHORT.match(self.pending)
                if not found:
                    if len(self.pending) < 24:
                        return  # the rest comes
                    raise ValueError(f"unknown: {self.pending[:24]!r}")
                self.pending = self.pending[found.end():]
                if len(found.groups()) == 3:
                    self.control(*found.groups())
                continue
            byte, self.pending = self.pending[:1], self.pending[1:]
            if byte == b"\r":
                self.column = 0
            elif byte == b"\n":
                self.newline()
            elif byte == b"\b":
                self.column = max(0, self.column - 1)
            elif byte == b"\t":
                self.column = min(self.columns - 1, (self.column // 8 + 1) * 8)
            elif byte >= b" ":
                self.put(byte.decode("latin1"))

    def put(self, text):
        if self.column == self.columns:
            self.column = 0
            self.newline()
        self.cells[self.row][self.column] = text
        self.column += 1

    def newline(self):
        if self.row == self.bottom:
            self.scroll(1)
        else:
            self.row = min(self.row + 1, self.lines - 1)

    def scroll(self, count):
        for _ in range(count):
            self.cells.insert(self.bottom + 1, [" "] * self.columns)
            del self.cells[self.top]

    def control(self, private, numbers, letter):
        given = [int(n) if n else 0 for n in numbers.split(b";")]
        first = given[0]
        count = max(first, 1)
        letter = letter.decode()
        row = self.cells[self.row]
        column = min(self.column, self.columns - 1)
        if letter in "hl":
            self.switch(private, given, letter == "h")
        elif letter == "H":
            self.row = min(count, self.lines) - 1
            wanted = given[1] if len(given) > 1 else 1
            self.column = min(max(wanted, 1), self.columns) - 1
        elif letter == "A":
            self.row = max(self.row - count, 0)
        elif letter == "B":
            self.row = min(self.row + count, self.lines - 1)
        elif letter == "C":
            self.column = min(column + count, self.columns - 1)
        elif letter == "D":
            self.column = max(column - count, 0)
        elif letter == "G":
            self.column = min(count, self.columns) - 1
        elif letter == "d":
            self.row = min(count, self.lines) - 1
        elif letter == "K":
            begin, end = [(column, self.columns), (0, column + 1),
                          (0, self.columns)][first]
            row[begin:end] = [" "] * (end - begin)
        elif letter == "J":
            if first == 0:
                row[column:] = [" "] * (self.columns - column)
                for other in self.cells[self.row + 1:]:
                    other[:] = [" "] * self.columns
            elif first == 1:
                row[:column + 1] = [" "] * (column + 1)
                for other in self.cells[:self.row]:
                    other[:] = [" "] * self.columns
            else:
                for other in self.cells:
                    other[:] = [" "] * self.columns
        elif letter == "X":
            end = min(column + count, self.columns)
            row[column:end] = [" "] * (end - column)
        elif letter == "P":
            del row[column:column + count]
            row += [" "] * (self.columns - len(row))
        elif letter == "@":
            row[column:column] = [" "] * count
            del row[self.columns:]
        elif letter in "LM":
            for _ in range(count):
                if letter == "L":
                    self.cells.insert(self.row, [" "] * self.columns)
                    del self.cells[self.bottom + 1]
                else:
                    self.cells.insert(self.bottom + 1, [" "] * self.columns)
                    del self.cells[self.row]
        elif letter == "S":
            self.scroll(count)
        elif letter == "T":
            for _ in range(count):
                self.cells.insert(self.top, [" "] * self.columns)
                del self.cells[self.bottom + 1]
        elif letter == "r":
            self.top = count - 1
            self.bottom = (given[1] if len(given) > 1 and given[1]
                           else self.lines) - 1
            self.row = self.column = 0
        elif letter == "b":
            for _ in range(count):
                self.put(self.cells[self.row][self.column - 1])
        elif letter not in "mt":
            raise ValueError(f"unknown: CSI {private}{numbers}{letter}")

    def switch(self, private, numbers, isOn):
        if private == b"?" and numbers[0] in (47, 1047, 1049):
            if isOn and self.saved is None:
                self.saved = (self.cells, self.row, self.column)
                self.cells = [[" "] * self.columns for _ in range(self.lines)]
            elif not isOn and self.saved is not None:
                self.cells, self.row, self.column = self.saved
                self.saved = None
        elif private == b"?" and numbers[0] == 25:
            self.isHidden = not isOn

    # What the test looks at.
    def screen(self):
        return ["".join(row).rstrip() for row in self.cells]

    def text(self):
        return "\n".join(self.screen())

    def wait(self, pattern, seconds=30):
        """The match of a pattern on the screen."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            found = re.search(pattern, self.text())
            if found:
                return found
            if not self.pump(0.1):
                break
        raise AssertionError(f"no {pattern!r} on the screen:\n{self.text()}")

    def end(self, number=None):
        """Waits for the end, after a signal if one is given: the exit code."""
        if number:
            os.kill(self.pid, number)
        until = time.monotonic() + 30
        while self.pump(0.1) and time.monotonic() < until:
            pass
        done, status = os.waitpid(self.pid, os.WNOHANG)
        while not done and time.monotonic() < until:
            time.sleep(0.05)
            done, status = os.waitpid(self.pid, os.WNOHANG)
        if not done:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            raise AssertionError("it does not end:\n" + self.text())
        return os.waitstatus_to_exitcode(status)
