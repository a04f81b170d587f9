"""The minimax polynomials of `obsidian-lang/src/library`, by the Remez exchange in 160 bits: `python3 scripts/polynomials.py`
prints each one's greatest relative error and its coefficients from the lowest up. Needs mpmath."""

import struct

from mpmath import asin, atan, atanh, cos, exp, fabs, log, lu_solve, matrix, mp, mpf, pi, sin, sinh, sqrt, tan, tanh

mp.prec = 160


def remez(f, weight, lo, hi, n):
    """Coefficients of the polynomial p of degree n - 1 with the least greatest |p - f| / weight, and that error."""
    lo, hi = mpf(lo), mpf(hi)

    def chebyshev(count):
        return [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * k / count) for k in range(count + 1)]

    points, grid = chebyshev(n), chebyshev(24 * n)
    for _ in range(12):
        system, right = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(points):
            for j in range(n):
                system[i, j] = x**j
            system[i, n] = (-1) ** i * weight(x)
            right[i] = f(x)
        solved = lu_solve(system, right)
        coefficients = [solved[j] for j in range(n)]

        def error(x):
            p = mpf(0)
            for c in reversed(coefficients):
                p = p * x + c
            return (p - f(x)) / weight(x)

        errors = [error(x) for x in grid]
        # One extremum for each run of one sign.
        peaks, start = [], 0
        for i in range(1, len(errors) + 1):
            if i == len(errors) or (errors[i] > 0) != (errors[start] > 0):
                peaks.append(max(range(start, i), key=lambda k: fabs(errors[k])))
                start = i
        if len(peaks) < n + 1:
            break
        while len(peaks) > n + 1:
            peaks.pop(0 if fabs(errors[peaks[0]]) < fabs(errors[peaks[-1]]) else -1)
        points = [grid[k] for k in peaks]
    return coefficients, max(fabs(e) for e in errors)


def single(x):
    """The nearest `f32`, in the fewest digits."""
    nearest = struct.unpack("f", struct.pack("f", float(x)))[0]
    return next(s for s in (f"{nearest:.{n}g}" for n in range(1, 18)) if struct.unpack("f", struct.pack("f", float(s)))[0] == nearest)


def near_zero(g, least):
    """g, whose singularity at 0 is removable, taken a little beside it."""
    return lambda t: g(t if fabs(t) > least else mpf(least))


def show(name, f, weight, lo, hi, n, least):
    coefficients, error = remez(near_zero(f, least), near_zero(weight, least), lo, hi, n)
    print(f"{name}: error 2^{float(log(error) / log(2)):.1f}")
    for c in coefficients:
        print("   ", single(c) if name.endswith("f32") else repr(float(c)))


def odd(name, g, hi, terms):
    """x + x z P(z) for g(x), z = x^2 up to hi."""
    ratio = lambda z: g(sqrt(z)) / sqrt(z)
    show(name, lambda z: (ratio(z) - 1) / z, lambda z: ratio(z) / z, 0, hi, terms, 1e-16)


half = log(mpf(2)) / 2 * mpf("1.01")
for name, terms in (("exp f32", 6), ("exp f64", 11)):
    show(name, lambda r: (exp(r) - 1 - r) / r**2, lambda r: fabs((exp(r) - 1) / r**2), -half, half, terms, 2.0**-40)
log_f32 = lambda f: (log(1 + f) - f + f * f / 2) / f**3
show("ln f32", log_f32, lambda f: fabs(log(1 + f) / f**3), -mpf(1) / 3 - 0.005, mpf(1) / 3 + 0.005, 9, 2.0**-40)
s2 = ((sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)) ** 2 * mpf("1.01")
log_ratio = lambda z: 2 * atanh(sqrt(z)) / sqrt(z)
show("ln f64", lambda z: (log_ratio(z) - 2) / z, lambda z: log_ratio(z) / z, 0, s2, 7, 1e-16)
show("ln pair f64", lambda z: ((log_ratio(z) - 2) / z - mpf(2) / 3) / z, lambda z: log_ratio(z) / z**2, 0, s2, 7, 1e-16)
eighth = (pi / 4 * mpf("1.001")) ** 2
for name, sines, cosines, tangents in (("f32", 3, 3, 6), ("f64", 7, 6, 15)):
    odd(f"sin {name}", sin, eighth, sines)
    cosine = lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2
    show(f"cos {name}", cosine, lambda z: cos(sqrt(z)) / z**2, 0, eighth, cosines, 1e-16)
    odd(f"tan {name}", tan, eighth, tangents)
odd("atan f32", atan, 1, 9)
odd("atan f64", atan, (sqrt(mpf(2)) - 1) ** 2 * mpf("1.001"), 11)
odd("asin f32", asin, 0.2505, 5)
odd("asin f64", asin, 0.2505, 12)
odd("sinh f32", sinh, 1.001, 3)
odd("sinh f64", sinh, 1.001, 7)
odd("tanh f32", tanh, mpf("0.3136"), 5)
