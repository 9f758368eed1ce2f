"""Rules in order with a default label, and the formats in which they are shown, written and read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from winnowkit.rulesets import display, text
from winnowkit.rulesets.model_report import Report
from winnowkit.rulesets.rule import Rule, check_counts
from winnowkit.rulesets.words import plain

if TYPE_CHECKING:
    from winnowkit.rulesets.exports.sql import SqlDialect


@dataclass(frozen=True, repr=False)
class RuleList:
    """The fields of a :class:`~winnowkit.rulesets.RuleSet`, which are documented there, and its formats."""

    rules: Sequence[Rule]
    default: Any
    columns: Sequence[str]
    default_decided: int | None = None
    default_right: int | None = None
    complete: bool = field(default=True, compare=False)
    report: Report | None = field(default=None, compare=False)
    log_enough: float | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "columns", tuple(map(plain, self.columns)))
        object.__setattr__(self, "default", plain(self.default))
        check_counts(self.default_decided, self.default_right)
        unknown = {c.column for rule in self.rules for c in rule.conditions} - set(self.columns)
        if unknown or len(set(self.columns)) < len(self.columns):
            raise ValueError(
                f"columns must be distinct and include those of the rules; got {self.columns}, without {unknown}"
            )

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, i: int) -> Rule:
        return self.rules[i]

    @property
    def complexity(self) -> int:
        """The number of rules plus the number of their conditions; a range ``40 < age <= 52`` is two conditions."""
        return sum(1 + len(rule.conditions) for rule in self.rules)

    # --- showing ----------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<RuleSet of {len(self)} rule{'s' * (len(self) != 1)}; print it to read them>"

    def __str__(self) -> str:
        return display.table(self)

    def _repr_html_(self) -> str:
        return display.html_table(self)

    # --- formats -------------------------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Write the rules as lines of text that :meth:`from_text` reads back.

        Returns
        -------
        str
            One line per rule.
        """
        return text.to_text(self)

    @classmethod
    def from_text(cls, lines: str) -> Self:
        """Read rules from text written by :meth:`to_text` or by hand; weights and measures are optional.

        Parameters
        ----------
        lines : str
            The text.

        Returns
        -------
        RuleSet
            The rules.
        """
        return cls(**text.from_text(lines))

    def to_json(self) -> str:
        """Write the rules as JSON, without the positions of rows and mistakes.

        Returns
        -------
        str
            A JSON document.
        """
        return text.to_json(self)

    @classmethod
    def from_json(cls, document: str) -> Self:
        """Read rules from JSON written by :meth:`to_json`.

        Parameters
        ----------
        document : str
            The JSON document.

        Returns
        -------
        RuleSet
            The rules.
        """
        return cls(**text.from_json(document))

    def to_sql(self, table: str | None = None, name: str = "prediction", *, dialect: SqlDialect = "standard") -> str:
        """Write an SQL CASE expression or, given a `table`, a query that adds it as the column `name`.

        Missing values must be NULL in the database. Numeric columns are compared as double precision.

        Parameters
        ----------
        table : str, optional
            The table to query; None writes the expression alone.
        name : str, default="prediction"
            Name of the column that holds the label.
        dialect : {"standard", "mysql"}, default="standard"
            "standard" is for databases that keep to the standard, such as PostgreSQL, SQLite and DuckDB; "mysql" is for
            MySQL and MariaDB with their default `sql_mode`, where a backslash escapes and backticks quote names.

        Returns
        -------
        str
            The query or expression.
        """
        from winnowkit.rulesets.exports import sql  # noqa: PLC0415 - languages are imported when they are asked for

        return sql.to_sql(self, table, name, dialect)

    def to_python(self, name: str = "predict") -> str:
        """Write a Python function that takes a row, a mapping from column names to values, and imports nothing.

        Parameters
        ----------
        name : str, default="predict"
            Name of the function.

        Returns
        -------
        str
            The source of the function.
        """
        from winnowkit.rulesets.exports import python  # noqa: PLC0415

        return python.to_python(self, name)

    def to_javascript(self, name: str = "predict") -> str:
        r"""Write a JavaScript function that takes a row, an object of values by column name, and needs no library.

        In the row, null, undefined, NaN, "?" and a property that is absent are missing values.

        Parameters
        ----------
        name : str, default="predict"
            Name of the function.

        Returns
        -------
        str
            The source of the function.

        Examples
        --------
        >>> rules = RuleList.from_text("if sky = sunny then play\nelse stay")
        >>> print(rules.to_javascript().splitlines()[-3])
          if (equal("sky", "sunny")) return "play";
        """
        from winnowkit.rulesets.exports import javascript  # noqa: PLC0415

        return javascript.to_javascript(self, name)

    def to_frame(self) -> Any:
        """Make a pandas frame with one row per rule; no text in it starts like a spreadsheet formula.

        Returns
        -------
        pandas.DataFrame
            One row per rule, and a last row for the default.
        """
        return display.to_frame(self)

    def to_pmml(self) -> str:
        """Write a PMML 4.4 RuleSetModel, in which the first rule that holds decides.

        Returns
        -------
        str
            An XML document.
        """
        from winnowkit.rulesets.exports import pmml  # noqa: PLC0415

        return pmml.to_pmml(self)
