"""Launches the kernel of `kernels/dot.rs` from Python: `python dot.py FOLDER`, with the folder that the build has written."""

import sys

import numpy as np
import pyopencl as cl

from obsidian_opencl import Kernels, Refused


def main(folder):
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)
    dot = Kernels(context, folder)["dot"]

    # Small whole numbers: every order of adding gives the same.
    x, y = (np.arange(5120) % 7).astype(np.float32), (np.arange(5120) % 5).astype(np.float32)
    (sums,) = dot(queue, x=x, y=y)
    assert np.array_equal(sums, (x * y).reshape(-1, 1024).sum(axis=1)), sums
    print(f"{len(sums)} results are right")

    try:
        dot(queue, x=x[:5000], y=y[:5000])
    except Refused as refused:
        print(refused)


if __name__ == "__main__":
    main(sys.argv[1])
