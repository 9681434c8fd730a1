# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Reads packets of Perfetto's format: the messages of its public schema that
# graphc-run writes, and no others.


def fields(data):
    """(number, wire type, value) of each field of a message."""
    at = 0

    def varint():
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        tag = varint()
        number, wire = tag >> 3, tag & 7
        if wire == 0:
            value = varint()
        elif wire == 1:
            value = int.from_bytes(data[at:at + 8], "little")
            at += 8
        elif wire == 2:
            size = varint()
            assert at + size <= len(data)
            value = data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {wire}")
        yield number, wire, value


def message(data, names):
    """A message with only those fields, by name; each once."""
    found = {}
    for number, _, value in fields(data):
        assert number in names, (number, names)
        assert names[number] not in found
        found[names[number]] = value
    return found


def named(entries):
    """Interned names, by their ids."""
    names = {}
    for number, _, value in fields(entries):
        assert number == 2  # event_names
        entry = message(value, {1: "iid", 2: "name"})
        names[entry["iid"]] = entry["name"].decode()
    return names


def descriptor(data):
    """A TrackDescriptor of a process or of a thread in it."""
    found = message(data, {1: "uuid", 2: "name", 3: "process", 4: "thread",
                           5: "parent"})
    if "process" in found:
        process = message(found["process"], {1: "pid", 6: "name", 8: "labels"})
        found["process"] = {k: v.decode() if isinstance(v, bytes) else v
                            for k, v in process.items()}
    else:
        thread = message(found["thread"], {1: "pid", 2: "tid", 5: "name"})
        thread["name"] = thread["name"].decode()
        assert thread["name"] == found["name"].decode()
        found["thread"] = thread
    return found


def track_event(data):
    """A TrackEvent: begin or end of a slice."""
    event = {"args": {}, "flows": [], "last_flows": []}
    for number, wire, value in fields(data):
        if number == 4:
            note = message(value, {3: "value", 10: "name"})
            event["args"][note["name"].decode()] = note["value"]
        elif number in (47, 48):
            assert wire == 1
            event["flows" if number == 47 else "last_flows"].append(value)
        else:
            names = {9: "type", 10: "name", 11: "track", 22: "category"}
            event[names[number]] = value
    return event


def read_packets(data):
    """The packets of a trace, in order."""
    packets, is_first = [], True
    for number, _, value in fields(data):
        assert number == 1
        packet = message(value, {8: "timestamp", 10: "sequence", 11: "event",
                                 12: "interned", 13: "flags", 60: "descriptor"})
        assert packet["sequence"] > 0
        assert packet["flags"] == (3 if is_first else 2)
        is_first = False
        if "interned" in packet:
            packet["names"] = named(packet["interned"])
        if "descriptor" in packet:
            packet.update(descriptor(packet["descriptor"]))
        if "event" in packet:
            packet.update(track_event(packet["event"]))
        packets.append(packet)
    return packets
