# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Over each link of a ring go 2(n-1)/n of the gradients' bytes, no more and no
less, and nothing goes over other links between GPUs."""
import subprocess

from common import SOURCE, command, harness, path, require

BYTES = 4800
MODEL = f"{SOURCE}/test/models/Inputs/ring.tfir"


def arguments(devices, *budgets):
    return ["graphc", MODEL, "-o", path("ring.bin"), "--batch=24",
            f"--devices=gpu:0-{devices - 1}", "--reduce=ring",
            *[f"--budget=link {b}" for b in budgets]]


def check_ring(devices):
    share = 2 * (devices - 1) * BYTES // devices
    links = {(a, b): share if b == (a + 1) % devices else 0
             for a in range(devices) for b in range(devices) if a != b}
    command(arguments(devices, *[f"/gpu:{a}->/gpu:{b} <= {bytes}"
                                 for (a, b), bytes in links.items()]))
    for a in range(devices):
        b = (a + 1) % devices
        done = subprocess.run(
            arguments(devices, f"/gpu:{a}->/gpu:{b} <= {share - 1}"),
            capture_output=True, text=True)
        require(done.returncode == 1 and "budget" in done.stderr,
                f"{devices} devices: fewer than {share} bytes go from {a} to {b}")


def two_devices():
    check_ring(2)


def three_devices():
    check_ring(3)


def four_devices():
    check_ring(4)


def eight_devices():
    check_ring(8)


if __name__ == "__main__":
    harness.run_checks([two_devices, three_devices, four_devices,
                        eight_devices])
