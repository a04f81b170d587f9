"""Launches of every kind through the manifest, compared with NumPy; `python launches.py MODULE FOLDER`."""

import sys

import numpy as np
import pyopencl as cl

sys.path.insert(0, sys.argv[1])
from obsidian_opencl import Kernels, Refused, evaluate  # noqa: E402


def refusal(error, launch):
    try:
        launch()
    except error as refused:
        return str(refused)
    raise AssertionError("it was not refused")


context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
kernels = Kernels(context, sys.argv[2])

for length in (0, 1, 1000):
    n, x = np.arange(length, dtype=np.int32) - 500, np.arange(length, dtype=np.float32) / 8
    for mixed in (kernels["mixed"], kernels.variant("mixed", threads=64)):
        products, (negative, numbers) = mixed(queue, pairs=(n, x), by=2.0, on=True)
        assert np.array_equal(products, n.astype(np.float32) * x * np.float32(2)), products
        assert np.array_equal(negative != 0, n < 0) and np.array_equal(numbers, n.view(np.uint32))
        products, _ = mixed(queue, pairs=(n, x), by=2.0, on=False)
        assert np.array_equal(products, x), products
assert "it has no variant" in refusal(Refused, lambda: kernels.variant("mixed", threads=65)).replace("`mixed`", "it")
assert "there are: " in refusal(Refused, lambda: kernels["nothing"])

table, places = np.arange(100, dtype=np.uint32) * 3, np.array([7, 99, 0], dtype=np.uint32)
(found,) = kernels["gathered"](queue, table=table, places=places)
assert np.array_equal(found, 2 * table[places] + 1), found
places[1] = 100
said = refusal(IndexError, lambda: kernels["gathered"](queue, table=table, places=places))
assert said == "`gathered`: index 100 is out of range of `table`, which has 100 elements", said

keys, bins = np.arange(1001, dtype=np.uint32) ** 2, np.ones(16, np.uint32)
kernels["counted"](queue, keys=keys, bins=bins)
assert np.array_equal(bins, 1 + np.bincount(keys % 16, minlength=16)), bins

(sums,) = kernels["thousands"](queue, xs=np.arange(3000, dtype=np.uint32))
assert np.array_equal(sums, np.arange(3000).reshape(3, 1000).sum(axis=1)), sums
said = refusal(Refused, lambda: kernels["thousands"](queue, xs=keys))
# The message is the launch's own.
assert said.startswith("`thousands`: the length of `xs` must be a multiple of 1000") and "1001" in said, said

said = refusal(Refused, lambda: kernels["counted"](queue, keys=keys, bins=bins[:15]))
assert said == "`bins` has 16; given are [15]", said
said = refusal(Refused, lambda: kernels["counted"](queue, keys=keys.astype(np.float32), bins=bins))
assert said == "`keys` is an array of uint32 in one piece, not of float32", said
said = refusal(Refused, lambda: kernels["counted"](queue, keys=keys))
assert said == "`counted` takes keys, bins; given are keys", said
said = refusal(Refused, lambda: kernels["mixed"](queue, pairs=(keys,), by=1, on=True))
assert said == "`pairs` has 2 fields, 1 arrays are given", said


# The meaning of the operations of a condition, on numbers that wrap.
def computed(op, kind, *values):
    constants = [{"op": "const", "type": kind, "value": value} for value in values]
    return evaluate({"op": op, "type": kind, "args": constants}, {})


assert computed("+", "u32", 0xFFFFFFFF, 2) == 1 and computed("-", "u32", 1, 2) == 0xFFFFFFFF
assert computed("*", "i32", 1 << 30, 2) == -(1 << 31) and computed("negate", "i32", -(1 << 31)) == -(1 << 31)
assert computed("/", "i32", -7, 2) == -3 and computed("%", "i32", -7, 2) == -1
assert computed("/", "u32", 7, 0) == 0 and computed("%", "u32", 7, 0) == 0
assert computed("<<", "u32", 1, 33) == 2 and computed(">>", "i32", -8, 1) == -4
assert computed("!", "u32", 0) == 0xFFFFFFFF and computed("!", "bool", True) is False
assert computed("leading_zeros", "u32", 1) == 31 and computed("trailing_zeros", "u32", 0) == 32
assert computed("count_ones", "i32", -1) == 32 and computed("reverse_bits", "u32", 1) == 1 << 31
print("every launch is right")
