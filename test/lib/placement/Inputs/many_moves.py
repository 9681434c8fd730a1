# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# many_moves.py GRAPH LOCK: 25 ops that the lock has on another device than the
# default one.
import sys

TYPE = "tensor<4xf32>"
with open(sys.argv[1], "w", encoding="utf-8") as graph:
    graph.write(f"tfir.graph @g(%x: {TYPE}) {{\n")
    for i in range(25):
        graph.write(f'  %{i} = tfir.exp %x {{name = "op{i}"}} : '
                    f"({TYPE}) -> {TYPE}\n")
    graph.write("}\n")
with open(sys.argv[2], "w", encoding="utf-8") as lock:
    for i in range(25):
        lock.write(f"g/op{i} /job:localhost/replica:0/task:0/device:GPU:1\n")
