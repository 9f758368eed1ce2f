"""Reading decimal numbers in text to the nearest double, exactly as Python's ``float`` does."""

from __future__ import annotations

from typing import Any

import numpy as np

from winnowkit.core.jit import jit_in_place

OK, HARD, BAD = 0, 1, 2
"""A number was read; the number needs more than double precision (the caller asks Python); there is no number."""

POWERS = np.array([10.0**i for i in range(23)])  # all exact
_SPLIT = 134217729.0  # 2^27 + 1
_DOUBT = 2.0**-50


@jit_in_place
def number(text: Any, p: int) -> tuple[float, int, int]:
    """Read a number at p: its value, the position after it, and OK, HARD or BAD.

    A number has an optional sign, digits with or without a point, and an optional exponent; infinity and NaN are not
    numbers here. The text must end with a byte that belongs to no number, such as a line end.
    """
    c = text[p]
    negative = c == 45  # -
    if negative or c == 43:  # +
        p += 1
    begin = p
    mantissa, exponent = 0, 0
    while text[p] == 48:  # 0
        p += 1
    first = p
    while 48 <= text[p] <= 57:
        mantissa = 10 * mantissa + (int(text[p]) - 48)
        p += 1
    digits, any_digit = p - first, p > begin
    if text[p] == 46:  # .
        p += 1
        point = p
        if digits == 0:
            while text[p] == 48:
                p += 1
        first = p
        while 48 <= text[p] <= 57:
            mantissa = 10 * mantissa + (int(text[p]) - 48)
            p += 1
        digits += p - first
        exponent = point - p
        any_digit |= p > point
    if not any_digit:
        return 0.0, p, BAD
    if (text[p] | 32) == 101:  # e, E
        power, end = whole(text, p + 1)
        if end == p + 1:
            return 0.0, p, BAD
        exponent, p = exponent + power, end
    if digits > 18:  # more than a 64-bit integer holds
        return 0.0, p, HARD
    value, status = scaled(mantissa, exponent)
    return (-value if negative else value), p, status


@jit_in_place
def whole(text: Any, p: int) -> tuple[int, int]:
    """Read an exponent at p; return it and the position after it, which is p itself if there is none."""
    first = p + 1 if text[p] == 45 or text[p] == 43 else p
    power, end = 0, first
    while 48 <= text[end] <= 57:
        power = min(10 * power + (int(text[end]) - 48), 1_000_000_000_000_000)  # more digits than any text has
        end += 1
    return (-power if text[p] == 45 else power), (end if end > first else p)


@jit_in_place
def scaled(mantissa: int, exponent: int) -> tuple[float, int]:
    """Return the double nearest to mantissa times a power of ten, and OK or HARD.

    Where both are exact doubles, a single rounding is correct (Clinger 1990). Otherwise, for negative exponents, the
    quotient and its remainder are twice as precise as a double; if their sum is too close to the midpoint of two
    doubles, the number is HARD.
    """
    if mantissa == 0:
        return 0.0, OK
    if exponent == 0:
        return float(mantissa), OK
    if mantissa <= 9007199254740992 and -22 <= exponent <= 22:  # 2^53
        high = float(mantissa)
        return (high * POWERS[exponent] if exponent > 0 else high / POWERS[-exponent]), OK
    if not -22 <= exponent < 0:
        return 0.0, HARD
    power = POWERS[-exponent]
    high = float(mantissa)
    low = float(mantissa - int(high))
    quotient = high / power
    product, error = exact_product(quotient, power)
    rest = (((high - product) - error) + low) / power
    doubt = abs(rest) * _DOUBT
    value = quotient + (rest - doubt)
    return value, OK if value == quotient + (rest + doubt) else HARD


@jit_in_place
def exact_product(a: float, b: float) -> tuple[float, float]:
    """Return the product of two doubles as the exact sum of two doubles (Dekker 1971)."""
    product = a * b
    t = _SPLIT * a
    a_high = t - (t - a)
    a_low = a - a_high
    t = _SPLIT * b
    b_high = t - (t - b)
    b_low = b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
