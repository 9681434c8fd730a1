# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Uses graphc-top in a terminal: keys, sizes, a task that dies, ends.
import signal

from terminal import Terminal
from three_tasks import ThreeTasks


def open_top(cluster, **size):
    shown = Terminal(["sh", "-c", "echo before; exec graphc-top "
                      f"{cluster.address} --interval=0.2"], **size)
    shown.wait("TASK +STATE")
    return shown


def check_restored(shown, settings):
    """The main screen is back, with the cursor, and the terminal's settings."""
    assert shown.saved is None and not shown.isHidden
    assert shown.screen()[0] == "before", shown.text()
    assert b"\x1b[?1049h" in shown.raw and b"\x1b[?1049l" in shown.raw
    if settings:
        assert shown.mode()[3] == settings[3], "the terminal's modes differ"


with ThreeTasks() as cluster:
    cluster.train()
    cluster.await_steps()

    probe = Terminal(["sleep", "60"])
    settings = probe.mode()
    probe.end(signal.SIGTERM)

    shown = open_top(cluster)
    assert shown.isHidden and shown.saved is not None
    shown.wait("3 tasks: 3 running")
    shown.wait(r"/job:worker/task:1 +running +train +\d+")
    shown.wait("every 0.2 s, by cluster")
    shown.wait("/job:ps/task:0 at unix:.*: running")
    shown.send(b"j")
    shown.wait("/job:worker/task:0 at unix:.*: running")
    shown.send(b"\x1bOB")  # arrow down
    shown.wait("/job:worker/task:1 at unix:.*: running")
    shown.send(b"k")
    shown.wait("/job:worker/task:0 at unix:.*: running")
    shown.send(b"2")
    shown.wait(r"FROM +TO +LINK")
    shown.send(b"3")
    shown.wait(r"MEDIAN.*\n.*init|MEDIAN.*\n.*train")
    shown.send(b"1")
    shown.wait("TASK +STATE")
    shown.send(b"s")
    shown.wait("by steps/s")
    shown.send(b"p")
    shown.wait("paused")
    # The rest of the drawing that says so may come in a read of its own.
    for _ in range(3):
        shown.pump(0.3)
    frozen = shown.text()
    for _ in range(8):
        shown.pump(0.1)
    assert shown.text() == frozen, "a paused view changes"
    shown.send(b"p")
    shown.wait("every 0.2 s")
    shown.send(b"h")
    shown.wait("scroll columns")
    shown.send(b"h")
    shown.wait("TASK +STATE")
    print("keys: ok")

    shown.resize(60, 5)
    shown.wait(r"\A.{1,60}\nTASK +STATE.*\n(.*\n){2}/job:worker")
    shown.resize(140, 20)
    shown.wait(r"PEND")
    shown.resize(5, 1)
    shown.pump(0.5)
    shown.resize(100, 12)
    shown.wait("TASK +STATE")
    print("sizes: ok")

    # Between two answers only what differs is drawn.
    mark = len(shown.raw)
    for _ in range(20):
        shown.pump(0.1)
    drawn = shown.raw[mark:]
    assert b"\x1b[2J" not in drawn and b"TASK" not in drawn, drawn
    print("differences: ok")

    cluster.servers["worker1"].kill()
    shown.wait(r"/job:worker/task:1 +lost")
    shown.wait("1 lost")
    print("death: ok")
    shown.send(b"q")
    assert shown.end() == 0
    check_restored(shown, None)
    print("q: ok")

    for number in (signal.SIGINT, signal.SIGTERM):
        shown = open_top(cluster)
        code = shown.end(number)
        assert code == 130, code
        check_restored(shown, None)
    print("signals: ok")

    # The shell that started it finds the terminal as it was.
    shown = Terminal(["sh", "-c", "echo before; graphc-top "
                      f"{cluster.address} --interval=0.2; echo after; sleep 60"])
    shown.wait("TASK +STATE")
    assert shown.mode()[3] != settings[3]
    shown.send(b"\x03")
    shown.wait("after")
    check_restored(shown, settings)
    shown.end(signal.SIGKILL)
    print("modes: ok")

    shown = Terminal(["graphc-top", cluster.address], env={"TERM": "no-such"})
    shown.wait("'no-such' is not one that can be drawn on; --once prints")
    assert shown.end() == 1
    print("unknown terminal: ok")
