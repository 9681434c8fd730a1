# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a source that nests one kind of thing N times: KIND N."""
import sys

kind, count = sys.argv[1], int(sys.argv[2])
kept = "tensor<f32>"
lines = [f"tfir.graph @g(%x: {kept}) -> (y: {kept}) {{"]
name = "%x"
if kind == "scopes":
    for i in range(count):
        lines.append(f'%s{i} = tfir.device "/cpu:0" -> {kept} {{')
    lines.append(f"%y = tfir.neg %x : ({kept}) -> {kept}")
    name = "%y"
    for i in reversed(range(count)):
        lines.append(f"tfir.yield {name} : {kept} }}")
        name = f"%s{i}"
elif kind == "attribute":
    deep = "[" * count + "]" * count
    lines.append(f"%y = tfir.neg %x {{a = {deep}}} : ({kept}) -> {kept}")
elif kind == "type":
    deep = "tuple<" * count + ">" * count
    lines = [f"tfir.graph @g(%x: {deep}) {{"]
elif kind == "harmless":
    lines.append("// " + "([{<" * count)
    text = "([{<" * count + '\\"(('
    lines.append(f'%y = tfir.neg %x {{name = "a{text}"}} : ({kept}) -> {kept}')
    name = "%y"
lines += [f"tfir.return {name} : {kept}", "}"]
print("\n".join(lines))
