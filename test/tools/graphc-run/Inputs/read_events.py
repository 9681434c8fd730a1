# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# read_events.py DIR: prints the events of the files in DIR by nothing but the
# formats' descriptions: frames with CRC32C, protobuf's wire format.
import glob
import struct
import sys

POLYNOMIAL = 0x82F63B78


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (POLYNOMIAL if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def check(data, stored):
    crc = crc32c(data)
    masked = (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
    assert masked == stored, "wrong CRC"


def records(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        length, crc = struct.unpack_from("<QI", data, at)
        check(data[at:at + 8], crc)
        record = data[at + 12:at + 12 + length]
        check(record, struct.unpack_from("<I", data, at + 12 + length)[0])
        yield record
        at += length + 16


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if not data[at - 1] & 128:
            return value, at


def fields(data):
    """Pairs of number and value of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif kind == 5:
            value, at = struct.unpack_from("<f", data, at)[0], at + 4
        else:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        yield key >> 3, value


def show_value(step, value):
    value = dict(fields(value))
    tag = value[1].decode()
    if 2 in value:
        print(f"{step} scalar {tag} = {value[2]:.6g}")
    else:
        print(f"{step} histogram {tag} of {dict(fields(value[5]))[3]:.0f}")


def show_node(node):
    parts = list(fields(node))
    one = dict(parts)
    inputs = [value.decode() for number, value in parts if number == 3]
    print(f"node {one[1].decode()} {one[2].decode()} on "
          f"{one[4].decode()} from {' '.join(inputs) or 'nothing'}")


for path in sorted(glob.glob(f"{sys.argv[1]}/events.out.tfevents.*")):
    for number, record in enumerate(records(path)):
        event = dict(fields(record))
        assert number > 0 or event[3] == b"brain.Event:2"
        if 5 in event:
            for _, value in fields(event[5]):
                show_value(event[2], value)
        elif 4 in event:
            for kind, node in fields(event[4]):
                if kind == 1:  # else its version
                    show_node(node)
        elif 7 in event:
            print("starts at", event[2])
