"""Line plots on log axes, as SVG."""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10

from results import Plot, short

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 460, 300, 64, 48, 40, 16
COLOURS = ["#2b6cb0", "#c05621", "#2f855a", "#6b46c1", "#b83280"]


class LogAxis:
    """Maps values to positions between two ends by their logarithms; a single value goes to the middle.

    Examples
    --------
    >>> axis = LogAxis([10.0, 1000.0], 0.0, 100.0)
    >>> axis(100.0), axis.ticks()
    (50.0, [10.0, 100.0, 1000.0])
    """

    def __init__(self, values: list[float], begin: float, end: float) -> None:
        self.low, self.high = log10(min(values)), log10(max(values))
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 0.5, self.high + 0.5
        self.begin, self.end = begin, end

    def __call__(self, value: float) -> float:
        """Return the position of a value."""
        return self.begin + (log10(value) - self.low) / (self.high - self.low) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Return the powers of ten in between, or the ends if there are fewer than two."""
        powers = [10.0**k for k in range(ceil(self.low - 1e-9), floor(self.high + 1e-9) + 1)]
        return powers if len(powers) > 1 else [10.0**self.low, 10.0**self.high]


def drawn(plot: Plot) -> str:
    """Return a plot as an SVG element, with its fitted exponents."""
    points = [point for line in plot.lines.values() for point in line]
    x = LogAxis([p[0] for p in points], LEFT, WIDTH - RIGHT)
    y = LogAxis([p[1] for p in points], HEIGHT - BOTTOM, TOP)
    pieces = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" font-size="12" '
        f'fill="currentColor" font-family="system-ui, sans-serif"><title>{escape(plot.title)}</title>'
        f'<text x="{LEFT}" y="18" font-weight="600">{escape(plot.title)}</text>'
    ]
    for value in x.ticks():
        pieces.append(_line(x(value), TOP, x(value), HEIGHT - BOTTOM))
        pieces.append(f'<text x="{x(value):.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{short(value)}</text>')
    for value in y.ticks():
        pieces.append(_line(LEFT, y(value), WIDTH - RIGHT, y(value)))
        pieces.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{short(value)}</text>')
    pieces.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(plot.x)}</text>')
    pieces.append(
        f'<text transform="translate(14 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{escape(plot.y)}</text>'
    )
    for k, (name, line) in enumerate(plot.lines.items()):
        colour = COLOURS[k % len(COLOURS)]
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in line)
        pieces.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        pieces += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3.5" fill="{colour}"/>' for a, b in line]
        fitted = f", exponent {plot.exponents[name]:.2f}" if name in plot.exponents else ""
        pieces.append(
            f'<text x="{WIDTH - RIGHT - 4}" y="{TOP + 14 + 15 * k}" text-anchor="end" fill="{colour}">'
            f"{escape(name + fitted)}</text>"
        )
    return "".join([*pieces, "</svg>"])


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor" stroke-opacity=".15"/>'
