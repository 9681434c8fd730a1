# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# frames.py N: a graph that sends N values of 32 KiB to another program at once.
import sys

TYPE = "tensor<8192xf32>"
count = int(sys.argv[1])


def graph(name, number, lines):
    print(f'tfir.graph @"f/{name}"() attributes {{device = '
          f'#tfir.device<"/job:localhost/replica:0/task:0/device:{name}">, '
          f'feed_order = '
          'array<i64>, fetch_order = array<i64>, partition_of = "f"} {')
    print("\n".join(lines) + "\n}")


print(f"tfir.variable @w : {TYPE} = #tfir.fill<0>")
graph("CPU:0", 0, [f"  %w = tfir.read @w : {TYPE}"]
      + [f"  tfir.send %w edge {i} to 1 : {TYPE}" for i in range(count)])
graph("GPU:0", 1, [f"  %r{i} = tfir.recv edge {i} from 0 level 1 : {TYPE}"
                   for i in range(count)])
