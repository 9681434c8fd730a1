# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# read_events.py FOLDER: prints the events of a folder's only event file, a line
# each. Checks every record by a CRC32C of its own.
import os
import struct
import sys


def make_table():
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        yield byte


TABLE = list(make_table())


def masked_crc(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    while data:
        (length,) = struct.unpack("<Q", data[:8])
        assert struct.unpack("<I", data[8:12])[0] == masked_crc(data[:8])
        record = data[12:12 + length]
        crc = data[12 + length:16 + length]
        assert struct.unpack("<I", crc)[0] == masked_crc(record)
        yield record
        data = data[16 + length:]


def fields(data):
    """The fields of a message: lists of values by number."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        if tag & 7 == 0:
            value = varint()
        else:
            size = {1: 8, 5: 4}.get(tag & 7) or varint()
            value = data[at:at + size]
            at += size
        found.setdefault(tag >> 3, []).append(value)
    return found


def show_value(step, value):
    tag = value[1][0].decode()
    if 2 in value:
        number = struct.unpack("<f", value[2][0])[0]
        return f"step {step}: scalar {tag} = {number:.6g}"
    if 4 in value:
        image = fields(value[4][0])
        assert image[4][0].startswith(b"\x89PNG"), tag
        return (f"step {step}: image {tag} {image[1][0]}x{image[2][0]}"
                f"x{image[3][0]}")
    if 5 in value:
        count = struct.unpack("<d", fields(value[5][0])[3][0])[0]
        return f"step {step}: histogram {tag} of {count:.0f}"
    if 6 in value:
        audio = fields(value[6][0])
        rate = struct.unpack("<f", audio[1][0])[0]
        assert audio[4][0].startswith(b"RIFF"), tag
        return f"step {step}: audio {tag} {audio[3][0]} at {rate:.0f}"
    plugin = fields(fields(value[9][0])[1][0])[1][0].decode()
    text = fields(value[8][0]).get(8, [b""])[0].decode()
    return f"step {step}: {plugin} {tag} {text}".rstrip()


def show(event):
    step = event[2][0]
    if 3 in event:
        return f"version {event[3][0].decode()}"
    if 4 in event:
        nodes = [fields(node) for node in fields(event[4][0])[1]]
        lines = [f"node {n[1][0].decode()} {n[2][0].decode()} "
                 f"{n.get(4, [b'-'])[0].decode()} "
                 + " ".join(i.decode() for i in n.get(3, [])) for n in nodes]
        return "graph\n" + "\n".join(line.rstrip() for line in lines)
    if 7 in event:
        return f"step {step}: restart"
    if 8 in event:
        tagged = fields(event[8][0])
        devices = fields(fields(tagged[2][0])[1][0])[1]
        nodes = [fields(node)[1][0].decode()
                 for device in devices for node in fields(device)[2]]
        return (f"step {step}: times '{tagged[1][0].decode()}' of "
                + ", ".join(nodes))
    return show_value(step, fields(fields(event[5][0])[1][0]))


(name,) = os.listdir(sys.argv[1])
assert name.startswith("events.out.tfevents."), name
with open(os.path.join(sys.argv[1], name), "rb") as file:
    for record in records(file.read()):
        print(show(fields(record)))
