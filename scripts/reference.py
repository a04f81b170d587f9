"""The table of true values that `tests/accuracy.rs` measures `f64` functions by: `python3 scripts/reference.py >
tests/accuracy/f64.txt`. A line is a function, the bits of its arguments, the bits of the nearest `f64`, and what the true
value is off from that, in thousandths of an ulp. In 1300 bits, so that huge arguments are reduced right. Needs mpmath."""

import math
import random
import struct

from mpmath import acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, cos, cosh, exp, expm1, log, mp, mpc, mpf, nint
from mpmath import pi, sign, sin, sinh, sqrt, tan, tanh

mp.prec = 1300
random.seed(7)
POINTS = 40


def bits(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def between(lo, hi):
    return lambda: random.uniform(lo, hi)


def scaled(lo, hi):
    """Of any exponent between two, of either sign."""
    return lambda: random.choice([-1, 1]) * random.uniform(1, 2) * 2.0 ** random.randint(lo, hi)


def positive(lo, hi):
    return lambda: abs(scaled(lo, hi)())


def around_one(lo, hi):
    return lambda: 1 + scaled(lo, hi)()


def quarter_turns():
    """Near multiples of pi/2, where sines and cosines vanish."""
    return float(nint(random.uniform(1, 1e9)) * pi / 2)


def both(a, b):
    return lambda: (a(), b())


def inside():
    return 1 - abs(scaled(-50, -3)())


TURNS = [between(-10, 10), scaled(-60, 20), scaled(-60, 1023), quarter_turns]
LOGS = [positive(-1074, 1023), between(0.5, 2), around_one(-50, -2)]
UNIT = [between(-1, 1), scaled(-60, -2), inside]
HYPERBOLIC = [between(-710, 710), between(-2, 2), scaled(-60, 3)]
FUNCTIONS = [
    ("exp", exp, [between(-745, 709), between(-2, 2), scaled(-60, 3)]),
    ("exp2", lambda x: mpf(2) ** x, [between(-1074, 1023), between(-2, 2), scaled(-60, 3)]),
    ("exp_m1", expm1, [between(-50, 709), between(-2, 2), scaled(-60, 3)]),
    ("ln", log, LOGS),
    ("log2", lambda x: log(x) / log(mpf(2)), LOGS),
    ("log10", lambda x: log(x) / log(mpf(10)), LOGS),
    ("ln_1p", lambda x: log(1 + x), [positive(-1074, 1023), between(-0.99999, 2), scaled(-60, -2)]),
    ("sin", sin, TURNS),
    ("cos", cos, TURNS),
    ("tan", tan, TURNS),
    ("asin", asin, UNIT),
    ("acos", acos, UNIT),
    ("atan", atan, [between(-3, 3), scaled(-60, 60)]),
    ("sinh", sinh, HYPERBOLIC),
    ("cosh", cosh, HYPERBOLIC),
    ("tanh", tanh, [between(-22, 22), between(-1, 1), scaled(-60, 3)]),
    ("asinh", asinh, [between(-3, 3), scaled(-60, 3), scaled(-60, 1023)]),
    ("acosh", acosh, [between(1, 3), lambda: 1 + positive(-50, 3)(), positive(1, 1023)]),
    ("atanh", atanh, UNIT),
    ("cbrt", lambda x: sign(x) * cbrt(abs(x)), [scaled(-1074, 1023), between(-8, 8)]),
    ("powf", lambda x, y: x**y, [
        both(between(0, 10), between(-300, 300)),
        both(positive(-1022, 1023), between(-1, 1)),
        both(around_one(-40, -4), scaled(0, 40)),
        both(between(0.6, 1.5), between(-1700, 1700)),
    ]),
    ("hypot", lambda x, y: sqrt(x * x + y * y), [
        both(between(-3, 3), between(-3, 3)),
        both(scaled(-1074, 1022), scaled(-1074, 1022)),
        both(scaled(-1074, -1000), scaled(-1074, -1000)),
        both(scaled(1000, 1022), scaled(1000, 1022)),
    ]),
    ("atan2", atan2, [
        both(between(-3, 3), between(-3, 3)),
        both(scaled(-1074, 1023), scaled(-1074, 1023)),
        both(scaled(-5, 5), scaled(-5, 5)),
    ]),
]


def row(name, function, arguments):
    value = function(*[mpf(a) for a in arguments])
    if isinstance(value, mpc):
        return
    try:
        nearest = float(value)
    except OverflowError:
        return
    if math.isfinite(nearest):
        off = nint((value - mpf(nearest)) / mpf(math.ulp(nearest)) * 1000)
        print(name, *[f"{bits(a):x}" for a in arguments], f"{bits(nearest):x}", int(off))


for name, function, sources in FUNCTIONS:
    for _ in range(POINTS):
        drawn = random.choice(sources)()
        row(name, function, drawn if isinstance(drawn, tuple) else (drawn,))
