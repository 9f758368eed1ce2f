"""The meaning of codes: what a fitted encoder says about single codes of its columns, for rules and explanations."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from winnowkit.data.coded_table import CodedTable


class CodeMeanings:
    """The part of :class:`winnowkit.data.CategoryEncoder` that says what codes mean."""

    missing: str
    feature_names_: list[str]
    n_ordered_: NDArray[np.int64]
    cuts_: list[NDArray[np.float64]]
    _table: CodedTable

    def describe(self, column: str | int, first: int, last: int | None = None) -> str:
        """Describe a code of a column, or a range of ordered codes, in words: "outlook = sunny", "30 < age <= 50".

        Parameters
        ----------
        column : str or int
            The name or position of the column.
        first : int
            One of its codes.
        last : int, optional
            The last code of a range; None stands for `first`.

        Returns
        -------
        str
            The description.
        """
        self._check_fitted()
        j = self._table.position(column)
        self._table.check_range(j, first, last, least=0)
        if first == 0:
            return f"{self.feature_names_[j]} unspecified"
        if self._table.is_missing_code(j, first):
            return f"{self.feature_names_[j]} missing"
        return self._table.coders[j].describe(first, last)

    def tests(self, column: int, first: int, last: int | None = None) -> list[tuple[str, Any]]:
        """List the comparisons of the raw value, as (operator, value), that hold where the code is in first, ..., last.

        Parameters
        ----------
        column : int
            The position of the column.
        first : int
            One of its codes, from 1.
        last : int, optional
            The last code of a range of ordered cells; None stands for `first`.

        Returns
        -------
        list of tuple
            The comparisons; all of them hold.

        Examples
        --------
        >>> from winnowkit.data import CategoryEncoder
        >>> CategoryEncoder(missing="ignore").fit([["sunny"], ["rain"]]).tests(0, 2)
        [('=', 'sunny')]
        >>> encoder = CategoryEncoder(missing="ignore", numbers="bounds").fit([[23], [35], [61], [48]])
        >>> encoder.tests(0, 2, 3), encoder.tests(0, 3, 4), encoder.tests(0, 1, 4)
        ([('>', 30), ('<=', 50)], [('>', 40)], [('present', None)])
        """
        self._table.check_range(column, first, last, least=1)
        missing = self._table.is_missing_code(column, first)
        return [("missing", None)] if missing else self._table.coders[column].tests(first, last)

    def code_of(self, column: str | int, value: Any) -> tuple[int, int]:
        """Return the position of a column and the code of a value in it; a value that `fit` did not see is an error.

        Parameters
        ----------
        column : str or int
            The name or position of the column.
        value : object
            A value of it.

        Returns
        -------
        tuple of int
            The position and the code.

        Examples
        --------
        >>> from winnowkit.data import CategoryEncoder
        >>> CategoryEncoder(missing="ignore").fit([["sunny"], ["rain"]]).code_of("x0", "sunny")
        (0, 2)
        """
        self._check_fitted()
        return self._table.code_of(column, value)

    def chosen_by_class(self, *, on_line: bool = False) -> list[str]:
        """Name the columns whose codes depend on the classes of the training rows, by cuts or by missing values.

        Parameters
        ----------
        on_line : bool, default=False
            Whether `fit` was told that there is more to come; then it cuts for bounds without regard to classes.

        Returns
        -------
        list of str
            The names.
        """
        return [
            name
            for j, name in enumerate(self.feature_names_)
            if (self.missing == "informative" and self._table.with_missing[j])
            or (len(self.cuts_[j]) and not (on_line and self.n_ordered_[j]))
        ]

    def is_forbidden(self, column: int, code: int) -> bool:
        """Tell whether no term may ask for this code of a column.

        Parameters
        ----------
        column : int
            The position of the column.
        code : int
            One of its codes.

        Returns
        -------
        bool
            Whether it is forbidden.
        """
        return any(pair in self._table.forbidden for pair in ((column, 0), (column, code)))

    @abstractmethod
    def _check_fitted(self) -> None:
        """Raise NotFittedError before `fit`."""
