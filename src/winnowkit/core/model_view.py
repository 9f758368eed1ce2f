"""The view of a fitted model in a notebook: scikit-learn's diagram, and below it what was learned, small."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from winnowkit.core.notebook import html_grid


class Viewed:
    """A classifier that shows in a notebook what it has learned, wherever scikit-learn shows its diagram."""

    @abstractmethod
    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is something to show."""

    def _learned(self) -> tuple[str, list[tuple[str, str]]]:
        """Return how the model learned, in a sentence, and its heaviest parts with a heading; or no parts."""
        model: Any = self
        seen = f"{model.n_trials_:,} example{'s' * (model.n_trials_ != 1)}"
        wrong = f"{model.n_mistakes_:,} mistake{'s' * (model.n_mistakes_ != 1)}"
        return f"{type(self).__name__} has learned from {seen}, with {wrong} on the way.", []

    def _learned_html(self) -> str:
        """Return what was learned as HTML, nothing before any learning."""
        if not self.__sklearn_is_fitted__():
            return ""
        said, rows = self._learned()
        return html_grid(said, rows)

    def _repr_html_inner(self) -> str:
        diagram: str = super()._repr_html_inner()  # type: ignore[misc]  # of scikit-learn's BaseEstimator
        return diagram + self._learned_html()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]  # likewise
        if "text/html" in bundle:
            bundle["text/html"] += self._learned_html()
        return bundle
