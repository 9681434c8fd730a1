# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A small disk that can be full, for this process and those that it starts; and what
# a file of weights on it says.
import ctypes
import errno
import json
import os
import struct

from processes import LIBC

CLONE_NEWNS = 0x00020000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
BYTES = 1 << 18


class Disk:
    """A tmpfs in a mount namespace of this process. Where none is allowed it is
    a folder that never fills."""

    def __init__(self, path):
        self.path = path
        os.makedirs(path)
        self.is_mounted = (
            LIBC.unshare(CLONE_NEWNS) == 0
            and self._mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
            and self._mount(b"none", path.encode(), b"tmpfs", 0,
                            f"size={BYTES}".encode()))

    @staticmethod
    def _mount(*arguments):
        *texts, flags, data = arguments
        return LIBC.mount(*texts, ctypes.c_ulong(flags), data) == 0

    def fill(self, is_full):
        """Takes all room, or gives it back; False: this disk cannot be full."""
        name = f"{self.path}/filler"
        if not is_full:
            os.remove(name)
            return True
        if not self.is_mounted:
            return False
        with open(name, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
        return True

    def close(self):
        if self.is_mounted:
            LIBC.umount2(self.path.encode(), 0)


def read_counters(path, names):
    """The counters in a safetensors file, by name."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        index = json.loads(file.read(size))
        values = {}
        for name in names:
            begin, end = index[name]["data_offsets"]
            file.seek(8 + size + begin)
            form = {"F32": "<f", "I64": "<q"}[index[name]["dtype"]]
            values[name] = float(struct.unpack(form, file.read(end - begin))[0])
    return values
