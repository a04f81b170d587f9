"""Launches the kernel of `kernels/dot.rs` from Python: `python dot.py FOLDER`, with the folder that the build has written."""

import sys

import numpy as np
import pyopencl as cl

from obsidian_opencl import Kernels


def main(folder):
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)
    dot = Kernels(context, folder)["dot"]

    # Small whole numbers: every order of adding gives the same.
    x, y = (np.arange(5003) % 7).astype(np.float32), (np.arange(5003) % 5).astype(np.float32)
    (sums,) = dot(queue, x=x, y=y)
    assert np.array_equal(sums, np.add.reduceat(x * y, range(0, len(x), 1024))), sums
    print(f"{len(sums)} results are right")


if __name__ == "__main__":
    main(sys.argv[1])
