# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A proxy for the connections to each task: it cuts them, holds back what they
# carry without telling anybody, or lets only so many bytes pass per second. For
# machines without network namespaces.
import collections
import selectors
import socket
import threading
import time

CHUNK = 1 << 16
MOST_WAITING = 1 << 20  # bytes in one direction


class Way:
    """One direction of a connection."""

    def __init__(self, source, target, proxy):
        self.source, self.target, self.proxy = source, target, proxy
        self.waiting = collections.deque()  # (when it may pass, bytes)
        self.size = 0
        self.due = 0.0

    def read(self, now):
        data = self.source.recv(CHUNK)
        if not data:
            raise OSError("the end")
        if self.proxy.rate:
            self.due = max(now, self.due) + len(data) / self.proxy.rate
        else:
            self.due = now
        self.waiting.append((self.due, data))
        self.size += len(data)

    def write(self, now):
        """Passes on what is due; seconds until the next is, None: nothing."""
        while self.waiting and not self.proxy.is_held:
            due, data = self.waiting[0]
            if due > now:
                return due - now
            try:
                sent = self.target.send(data)
            except BlockingIOError:
                return 0.005
            self.size -= sent
            self.waiting.popleft()
            if sent < len(data):
                self.waiting.appendleft((due, data[sent:]))
        return None


class Proxy:
    """What all connections to one task suffer."""

    def __init__(self):
        self.is_held = False
        self.rate = 0  # bytes per second; 0: as fast as they come
        self.is_cut = False
        self.target = None  # the port behind the proxy
        self.is_heard = False  # whether the loop accepts
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]


class Links:
    """A proxy per task, and another one for clients, which is never harmed: a
    client that loses a task has lost its run. One thread moves all bytes."""

    kind = "proxy"
    host_flags = ()

    def __init__(self, tasks):
        self.proxies = {task: Proxy() for task in tasks}
        self.doors = {task: Proxy() for task in tasks}
        self.pairs = []  # (way, way)
        self.is_open = True
        self.selector = selectors.DefaultSelector()
        self.thread = threading.Thread(target=self._loop, daemon=True)
        self.thread.start()

    def address(self, task):
        return f"127.0.0.1:{self.proxies[task].port}"

    def door(self, task):
        """The address for clients."""
        return f"127.0.0.1:{self.doors[task].port}"

    def set_port(self, task, port):
        """Where the task listens behind the proxy. Who comes earlier waits."""
        for proxy in (self.proxies[task], self.doors[task]):
            proxy.target = port

    def _all_proxies(self):
        return [*self.proxies.values(), *self.doors.values()]

    def network(self, _task):
        return None

    def hold(self, task, is_held):
        self.proxies[task].is_held = is_held

    def limit(self, task, rate):
        self.proxies[task].rate = rate

    def cut(self, task):
        self.proxies[task].is_cut = True

    def _accept(self, proxy):
        inner, _ = proxy.listener.accept()
        try:
            outer = socket.create_connection(("127.0.0.1", proxy.target), 2)
        except (OSError, TypeError):
            inner.close()
            return
        for one in (inner, outer):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            one.setblocking(False)
        ways = (Way(inner, outer, proxy), Way(outer, inner, proxy))
        self.pairs.append(ways)
        for way in ways:
            self.selector.register(way.source, selectors.EVENT_READ,
                                   (way, ways))

    def _close(self, ways):
        if ways not in self.pairs:
            return
        self.pairs.remove(ways)
        for way in ways:
            self.selector.unregister(way.source)
            way.source.close()

    def _loop(self):
        wait = 0.01
        while self.is_open:
            for proxy in self._all_proxies():
                if proxy.target and not proxy.is_heard:
                    proxy.is_heard = True
                    self.selector.register(proxy.listener, selectors.EVENT_READ,
                                           proxy)
            for key, _ in self.selector.select(wait):
                try:
                    if isinstance(key.data, Proxy):
                        self._accept(key.data)
                    elif key.data[1] in self.pairs:
                        self._read(*key.data)
                except BlockingIOError:
                    pass
                except OSError:
                    if not isinstance(key.data, Proxy):
                        self._close(key.data[1])
            wait = self._write_all()
        for ways in list(self.pairs):
            self._close(ways)
        for proxy in self._all_proxies():
            proxy.listener.close()

    @staticmethod
    def _read(way, _ways):
        if way.size < MOST_WAITING:
            way.read(time.monotonic())
        else:
            time.sleep(0.001)

    def _write_all(self):
        """Seconds until something may be due."""
        wait = 0.01
        now = time.monotonic()
        for ways in list(self.pairs):
            try:
                if ways[0].proxy.is_cut:
                    raise OSError("cut")
                for way in ways:
                    left = way.write(now)
                    wait = wait if left is None else min(wait, left)
            except OSError:
                self._close(ways)
        for proxy in self.proxies.values():
            proxy.is_cut = False
        return wait

    def close(self):
        self.is_open = False
        self.thread.join()
