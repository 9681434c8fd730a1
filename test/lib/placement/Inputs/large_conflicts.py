#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a graph of COUNT ops, each colocated with the one before:

  large_conflicts.py pair COUNT    the first and the last request two devices
  large_conflicts.py three COUNT   any two of three requests could be met
"""
import sys

DEVICES = {
    "pair": ["/gpu:0", "/gpu:1"],
    "three": ["/job:a", "/task:1", "/device:GPU:0"],
}


def main(kind, count):
    devices = DEVICES[kind]
    step = (count - 1) // (len(devices) - 1)
    requests = {i * step: device for i, device in enumerate(devices)}
    print("tfir.graph @g(%x: tensor<2xf32>) {")
    for i in range(count):
        attrs = [f'name = "n{i}"']
        if i:
            attrs.append(f'colocate_with = "n{i - 1}"')
        if i in requests:
            attrs.append(f'device = #tfir.device<"{requests[i]}">')
        print(f"  %{i} = tfir.neg %x {{{', '.join(attrs)}}} : "
              "(tensor<2xf32>) -> tensor<2xf32>")
    print("}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
