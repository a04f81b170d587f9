"""Kernels that Obsidian has written as OpenCL C with a manifest, for NumPy arrays, launched by PyOpenCL.

`obsidian_build::Builder` writes the folder in a build script, `cargo obsidian emit manifest --out DIR` anywhere else. Copy this
file: it needs numpy and pyopencl and nothing of Obsidian.

    kernels = Kernels(context, "out/obsidian")
    sums, = kernels["dot"](queue, x=x, y=y)

Whatever a launch asks of lengths and scalars is read from the manifest and checked before anything runs.
"""

import json
from pathlib import Path

import numpy as np
import pyopencl as cl

FORMAT = 1

# How an element lies in memory; numpy has no bf16.
DTYPES = {
    "bool": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
    "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64,
}


class Refused(ValueError):
    """A launch that the manifest does not allow, or that this file cannot make."""


class Kernels:
    """The kernels of a folder, each by its name."""

    def __init__(self, context, folder):
        self.context, self.folder = context, Path(folder)
        manifest = json.loads((self.folder / "manifest.json").read_text())
        if manifest.get("format") != FORMAT:
            raise Refused(f"the manifest has format {manifest.get('format')}; this file reads format {FORMAT}")
        self.entries = {entry["name"]: entry for entry in manifest["kernels"]}

    def __getitem__(self, name):
        """The first variant of a kernel."""
        return self.variant(name)

    def variant(self, name, **values):
        """The first variant with these values: `kernels.variant("sums", threads=128, T="f32")`."""
        if name not in self.entries:
            raise Refused(f"there is no kernel `{name}`; there are: {', '.join(self.entries)}")
        for variant in self.entries[name]["variants"]:
            own = variant["values"] | {"threads": variant["threads"]}
            if all(own.get(key) == value for key, value in values.items()):
                return Kernel(self.context, self.folder, name, variant)
        raise Refused(f"`{name}` has no variant with {values}")


class Kernel:
    """A variant of a kernel, compiled by the driver."""

    def __init__(self, context, folder, name, variant):
        self.context, self.name, self.variant = context, name, variant
        text = next((t for t in variant["texts"] if t["language"] == "opencl_c"), None)
        if text is None:
            raise Refused(f"the manifest names no OpenCL C of `{name}`: emit it, too")
        self.text = text
        # Nothing may be added that lets a compiler round otherwise.
        options = ["-cl-std=CL1.2"]
        if "rounded_division" in text["needs"]:
            options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        program = cl.Program(context, (folder / text["file"]).read_text()).build(options=options)
        self.function = cl.Kernel(program, text["symbol"])

    def __call__(self, queue, **given):
        """Launches on NumPy arrays: one for an input, a tuple of one per field where elements are tuples, a number for a
        scalar. Updated arrays are updated in place. Returns a tuple of the outputs."""
        inputs = self.inputs(given)
        values = {name: len(value[0]) if isinstance(value, tuple) else value for name, value in inputs.items()}
        for condition in self.variant["conditions"]:
            if not evaluate(condition["holds_tree"], values):
                raise Refused(f"`{self.name}`: {condition['message']}; the lengths and scalars are {values}")
        arrays = self.arrays(inputs, values)
        buffers = {name: [self.upload(field) for field in fields] for name, fields in arrays.items()}
        groups = evaluate(self.variant["blocks_tree"], values) * self.text["rounds"]
        if groups > 0:
            threads = self.variant["threads"]
            self.function.set_args(*self.arguments(buffers, values))
            cl.enqueue_nd_range_kernel(queue, self.function, (groups * threads,), (threads,))
        self.download(queue, arrays, buffers)
        return tuple(
            arrays[p["name"]] if len(p["elements"]) > 1 else arrays[p["name"]][0]
            for p in self.variant["parameters"]
            if p["kind"] == "output"
        )

    def inputs(self, given):
        """What is given for each parameter: a tuple of arrays, or a number."""
        wanted = [p for p in self.variant["parameters"] if p["kind"] in ("input", "updated", "scalar")]
        names = [p["name"] for p in wanted]
        if set(names) != set(given):
            raise Refused(f"`{self.name}` takes {', '.join(names)}; given are {', '.join(given)}")
        return {p["name"]: self.input(p, given[p["name"]]) for p in wanted}

    def input(self, parameter, value):
        name, types = parameter["name"], [dtype(t) for t in parameter["elements"]]
        if parameter["kind"] == "scalar":
            return types[0](value)
        fields = value if isinstance(value, tuple) else (value,)
        if len(fields) != len(types):
            raise Refused(f"`{name}` has {len(types)} fields, {len(fields)} arrays are given")
        for field, wanted in zip(fields, types):
            stored = field.view(np.uint8) if field.dtype == np.bool_ else field
            if stored.dtype != wanted or field.ndim != 1 or not field.flags.c_contiguous:
                raise Refused(f"`{name}` is an array of {np.dtype(wanted)} in one piece, not of {field.dtype}")
        lengths = {len(field) for field in fields}
        if len(lengths) > 1 or parameter["length"] not in (None, *lengths):
            raise Refused(f"`{name}` has {parameter['length'] or 'one length'}; given are {sorted(lengths)}")
        return tuple(fields)

    def arrays(self, inputs, values):
        """The arrays of every parameter that has some: what is given, and new ones for the outputs."""
        arrays = {name: list(value) for name, value in inputs.items() if isinstance(value, tuple)}
        for p in self.variant["parameters"]:
            if p["kind"] == "output":
                length = evaluate(p["length_tree"], values)
                arrays[p["name"]] = [np.zeros(length, dtype(t)) for t in p["elements"]]
            elif p["kind"] == "fault":
                arrays[p["name"]] = [np.zeros(2, np.uint64)]
        return arrays

    def upload(self, field):
        # A buffer of no bytes is an error in OpenCL.
        stored = field if field.nbytes else np.zeros(1, np.uint64)
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        return cl.Buffer(self.context, flags, hostbuf=np.ascontiguousarray(stored))

    def arguments(self, buffers, values):
        """The arguments in the function's order."""
        fields = {name: iter(of) for name, of in buffers.items()}
        for argument in self.variant["arguments"]:
            name = argument["parameter"]
            if argument["is"] == "pointer":
                yield next(fields[name])
            else:
                yield dtype(argument["type"])(values[name])

    def download(self, queue, arrays, buffers):
        """Brings back what the kernel has written."""
        for p in self.variant["parameters"]:
            if p["kind"] not in ("output", "updated", "fault"):
                continue
            for array, buffer in zip(arrays[p["name"]], buffers[p["name"]]):
                if array.nbytes:
                    cl.enqueue_copy(queue, array, buffer)
            if p["kind"] == "fault" and arrays[p["name"]][0][0] != 0:
                what, length = (int(n) for n in arrays[p["name"]][0])
                array, index = self.variant["guarded"][(what >> 32) - 1], what & 0xFFFFFFFF
                raise IndexError(f"`{self.name}`: index {index} is out of range of {array}, which has {length} elements")


def dtype(name):
    if name not in DTYPES:
        raise Refused(f"numpy has no {name}")
    return DTYPES[name]


def evaluate(tree, values):
    """An expression over lengths and scalars. Integers wrap in their type, as on the device."""
    op, kind = tree["op"], tree["type"]
    if op == "const" and "value" in tree:
        return tree["value"]
    if op in ("length", "scalar"):
        return values[tree["parameter"]].item() if op == "scalar" else values[tree["parameter"]]
    if kind.startswith(("f", "bf")):
        raise Refused(f"a condition computes `{op}` of {kind}, which this file does not evaluate")
    if op == "select":
        which, then, other = tree["args"]
        return evaluate(then if evaluate(which, values) else other, values)
    a, *more = [evaluate(argument, values) for argument in tree["args"]]
    if op not in OPERATIONS or op == "as" and isinstance(a, float):
        raise Refused(f"an expression of the manifest uses `{op}` on {a!r}, which this file does not evaluate")
    return wrapped(OPERATIONS[op](a, *more, bits(kind)), kind)


def bits(kind):
    return 1 if kind == "bool" else int(kind[1:])


def wrapped(value, kind):
    if kind == "bool":
        return bool(value & 1)
    low = value & ((1 << bits(kind)) - 1)
    return low - (1 << bits(kind)) if kind[0] == "i" and low >> (bits(kind) - 1) else low


def quotient(a, b):
    """Towards zero; 0 where nothing can be divided, as in a kernel."""
    return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


# The last argument is the width of the result.
OPERATIONS = {
    "+": lambda a, b, _: a + b,
    "-": lambda a, b, _: a - b,
    "*": lambda a, b, _: a * b,
    "/": lambda a, b, _: quotient(a, b),
    "%": lambda a, b, _: a - quotient(a, b) * b if b else 0,
    "&": lambda a, b, _: a & b,
    "|": lambda a, b, _: a | b,
    "^": lambda a, b, _: a ^ b,
    "<<": lambda a, b, width: a << (b % width),
    ">>": lambda a, b, width: a >> (b % width),
    "min": lambda a, b, _: min(a, b),
    "max": lambda a, b, _: max(a, b),
    "==": lambda a, b, _: int(a == b),
    "!=": lambda a, b, _: int(a != b),
    "<": lambda a, b, _: int(a < b),
    "<=": lambda a, b, _: int(a <= b),
    ">": lambda a, b, _: int(a > b),
    ">=": lambda a, b, _: int(a >= b),
    "as": lambda a, _: int(a),
    "negate": lambda a, _: -a,
    "!": lambda a, _: ~int(a),
    "abs": lambda a, _: abs(a),
    "count_ones": lambda a, width: bin(a & ((1 << width) - 1)).count("1"),
    "leading_zeros": lambda a, width: width - (a & ((1 << width) - 1)).bit_length(),
    "trailing_zeros": lambda a, width: ((a | 1 << width) & -(a | 1 << width)).bit_length() - 1,
    "reverse_bits": lambda a, width: int(f"{a & ((1 << width) - 1):0{width}b}"[::-1], 2),
}
