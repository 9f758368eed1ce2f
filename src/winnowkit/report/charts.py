"""Charts as SVG, in the colours of the page: they follow its dark mode and print well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from winnowkit.report.markup import Html, element, joined

WIDTH, HEIGHT = 360, 260
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 12, 42

Numbers = Sequence[float] | NDArray[np.float64]


class Axis(NamedTuple):
    """A range of values, where it is marked, and how the marks and the axis are called."""

    low: float
    high: float
    ticks: Sequence[float]
    labels: Sequence[str]
    title: str


def percent_axis(title: str, low: float = 0.0, high: float = 1.0) -> Axis:
    """Return an axis of shares, marked at five to eight round values."""
    ticks = round_ticks(low, high)
    digits = 0 if all(abs(100 * t - round(100 * t)) < 1e-9 for t in ticks) else 1
    return Axis(low, high, ticks, [f"{100 * t:.{digits}f}%" for t in ticks], title)


def number_axis(title: str, low: float, high: float) -> Axis:
    """Return an axis of counts, marked at whole numbers."""
    ticks = [t for t in round_ticks(low, high) if t == int(t)]
    return Axis(low, high, ticks, [f"{t:,.0f}" for t in ticks], title)


def plain_axis(title: str, low: float, high: float) -> Axis:
    """Return an axis of numbers, marked at round values."""
    ticks = round_ticks(low, high)
    return Axis(low, high, ticks, [f"{t:,.6g}" for t in ticks], title)


def round_ticks(low: float, high: float) -> list[float]:
    """Return round values in a range.

    Examples
    --------
    >>> round_ticks(0, 1), round_ticks(0, 7)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    """
    width = max(high - low, 1e-12)
    rough = width / 7
    unit = 10.0 ** int(np.floor(np.log10(rough)))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough * 0.999)
    first = int(np.ceil(low / step - 1e-9))
    return [round(k * step, 12) for k in range(first, int(np.floor(high / step + 1e-9)) + 1)]


class Chart:
    """A chart of lines, bands and points.

    Parameters
    ----------
    x, y : Axis
        The axes.
    summary : str
        What the chart shows, in a sentence, for those who cannot see it.
    """

    def __init__(self, x: Axis, y: Axis, summary: str) -> None:
        self.x, self.y, self.summary = x, y, summary
        self.parts: list[Html] = []

    def at_x(self, value: float) -> float:
        """Return where a value is, from the left."""
        return LEFT + (value - self.x.low) / (self.x.high - self.x.low) * (WIDTH - LEFT - RIGHT)

    def at_y(self, value: float) -> float:
        """Return where a value is, from the top."""
        return HEIGHT - BOTTOM - (value - self.y.low) / (self.y.high - self.y.low) * (HEIGHT - TOP - BOTTOM)

    def line(self, xs: Numbers, ys: Numbers, class_: str = "line", **more: Any) -> None:
        """Draw a line through points."""
        self.parts.append(element("polyline", points=self._points(xs, ys), class_=class_, **more))

    def band(self, xs: Numbers, low: Numbers, high: Numbers, class_: str = "band") -> None:
        """Fill what lies between two lines."""
        there, back = self._points(xs, high), self._points(list(xs)[::-1], list(low)[::-1])
        self.parts.append(element("polygon", points=f"{there} {back}", class_=class_))

    def box(self, left: float, right: float, low: float, high: float, tip: str) -> None:
        """Fill a rectangle, with words that appear when it is pointed at."""
        x, y = self.at_x(left), self.at_y(high)
        size = {"width": f"{max(self.at_x(right) - x - 0.5, 0.5):.1f}", "height": f"{self.at_y(low) - y:.1f}"}
        self.parts.append(element("rect", element("title", tip), x=f"{x:.1f}", y=f"{y:.1f}", **size, class_="count"))

    def whisker(self, x: float, low: float, high: float) -> None:
        """Draw an interval."""
        at = f"{self.at_x(x):.1f}"
        self.parts.append(
            element("line", x1=at, x2=at, y1=f"{self.at_y(low):.1f}", y2=f"{self.at_y(high):.1f}", class_="whisker")
        )

    def point(self, x: float, y: float, tip: str, class_: str = "point", **more: Any) -> None:
        """Draw a point, with words that appear when it is pointed at."""
        inside = element("title", tip)
        self.parts.append(
            element("circle", inside, cx=f"{self.at_x(x):.1f}", cy=f"{self.at_y(y):.1f}", r=4, class_=class_, **more)
        )

    def note(self, x: float, y: float, text: str, anchor: str = "start") -> None:
        """Write words at a place."""
        self.parts.append(
            element("text", text, x=f"{self.at_x(x):.1f}", y=f"{self.at_y(y):.1f}", class_="note", text_anchor=anchor)
        )

    def svg(self, **attributes: Any) -> Html:
        """Return the picture."""
        return element(
            "svg",
            element("title", self.summary),
            self._grid(),
            joined(self.parts),
            viewBox=f"0 0 {WIDTH} {HEIGHT}",
            role="img",
            class_="chart",
            **attributes,
        )

    def _grid(self) -> Html:
        parts, floor = [], HEIGHT - BOTTOM
        for value, label in zip(self.x.ticks, self.x.labels, strict=True):
            at = f"{self.at_x(value):.1f}"
            parts.append(element("line", x1=at, x2=at, y1=TOP, y2=floor, class_="grid"))
            parts.append(element("text", label, x=at, y=floor + 16, class_="tick", text_anchor="middle"))
        for value, label in zip(self.y.ticks, self.y.labels, strict=True):
            height = self.at_y(value)
            level = f"{height:.1f}"
            parts.append(element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=level, y2=level, class_="grid"))
            parts.append(element("text", label, x=LEFT - 6, y=f"{height + 4:.1f}", class_="tick", text_anchor="end"))
        middle = (LEFT + WIDTH - RIGHT) / 2
        parts.append(element("text", self.x.title, x=middle, y=HEIGHT - 6, class_="axis", text_anchor="middle"))
        turned = f"translate(11 {(TOP + floor) / 2:.0f}) rotate(-90)"
        parts.append(element("text", self.y.title, transform=turned, class_="axis", text_anchor="middle"))
        return joined(parts)

    def _points(self, xs: Numbers, ys: Numbers) -> str:
        return " ".join(f"{self.at_x(float(x)):.1f},{self.at_y(float(y)):.1f}" for x, y in zip(xs, ys, strict=True))


def bar(
    value: float, low: float | None = None, high: float | None = None, scale: float = 1.0, class_: str = ""
) -> Html:
    """Return a small horizontal bar, with an interval if there is one, for the cell of a table."""
    ends = []
    if low is not None and high is not None:
        left, right = 100 * min(1.0, low / scale), 100 * min(1.0, high / scale)
        ends = [element("span", class_="interval", style=f"left:{left:.1f}%;width:{max(right - left, 0.5):.1f}%")]
    width = 100 * max(0.0, min(1.0, value / scale)) if scale else 0.0
    filled = element("span", class_="fill", style=f"width:{width:.1f}%")
    return element("span", filled, *ends, class_=f"bar {class_}".strip(), aria_hidden="true")
