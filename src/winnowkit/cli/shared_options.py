"""Options that several commands share."""

from __future__ import annotations

import argparse
from typing import Any

from winnowkit.cli.parser import FORMATS, LEARNERS, Parser, count, learner_name, positive

Commands = Any  # argparse's sub-parsers


def new_command(commands: Commands, name: str, about: str, epilog: str | None = None) -> Parser:
    """Add a command with the options that all commands have."""
    parser: Parser = commands.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + ".", epilog=epilog
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="show results and errors only, no progress or summary"
    )
    parser.add_argument("--traceback", action="store_true", help="show where in the code an error occurred")
    return parser


def dask_option(parser: Parser) -> None:
    """Add the option of commands that run on a cluster."""
    parser.add_argument(
        "--dask",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="run on this Dask cluster, tcp://host:port, or (without an address) on all cores of this machine; "
        "DATA may be a quoted pattern of files, or a folder",
    )


def json_options(parser: Parser) -> None:
    """Add the option of commands that print results."""
    parser.add_argument("--json", action="store_true", help="write results as JSON to standard output")


def data_options(parser: Parser, *, labelled: bool = True) -> None:
    """Add the options on how data are read."""
    group = parser.add_argument_group("data")
    group.add_argument("--format", default="auto", choices=("auto", *FORMATS), metavar="FORMAT", help=_formats())
    if labelled:
        group.add_argument(
            "--target", metavar="COLUMN", help="column with the classes, by name or position (default: the last)"
        )
        group.add_argument("--columns", nargs="+", metavar="COLUMN", help="learn from these columns only")
        group.add_argument("--ignore", nargs="+", action="extend", metavar="COLUMN", help="ignore these columns")
        group.add_argument(
            "--n-features", type=positive, metavar="N", help="number of attributes, for sparse data from a pipe"
        )
        group.add_argument("--skip", type=count, default=0, metavar="ROWS", help="skip this many rows at the beginning")
    group.add_argument(
        "--categorical",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="columns whose numbers are codes, and thus categories",
    )
    group.add_argument(
        "--text",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN",
        help="columns of free text, of which the words count (default: detected)",
    )
    group.add_argument(
        "--header",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether a CSV file begins with column names (default: detected)",
    )
    group.add_argument(
        "--delimiter",
        metavar="CHARACTER",
        help="character between fields of a CSV file, or tab (default: detected)",
    )
    group.add_argument(
        "--decimal",
        choices=(".", ","),
        metavar="MARK",
        help="decimal mark of the numbers in a CSV file, '.' or ',' (default: detected)",
    )
    group.add_argument(
        "--encoding", metavar="NAME", help="encoding of a CSV file, such as cp1252 or gb18030 (default: utf-8)"
    )
    group.add_argument(
        "--missing",
        nargs="+",
        action="extend",
        default=[],
        metavar="TEXT",
        help="fields of a CSV file that stand for missing values, besides empty ones, ?, NA, NaN and null",
    )
    group.add_argument(
        "--chunk-rows", type=positive, default=10_000, metavar="ROWS", help="rows to read at a time (default: 10000)"
    )


def _formats() -> str:
    return f"one of {', '.join(FORMATS)}, or auto (default): by file name or content; .gz and .zst are decompressed"


def learner_options(parser: Parser) -> None:
    """Add the options on what learns, and how."""
    group = parser.add_argument_group("learner")
    group.add_argument(
        "--learner",
        metavar="NAME",
        type=learner_name,
        choices=LEARNERS,
        help=f"one of {', '.join(LEARNERS)} (default: chosen by the kind of the data and a short trial)",
    )
    group.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME=VALUE",
        help="parameters of the learner, such as alpha=1.3 theta=auto",
    )
    group.add_argument(
        "--special",
        nargs="+",
        action="extend",
        default=[],
        metavar="COLUMN=VALUES",
        help="numbers that are codes, such as age=-9,-8",
    )
    group.add_argument(
        "--passes",
        type=positive,
        metavar="N",
        help="passes over the data (default: 1, Committee and AROW on a file 5, DNFWinnow at most 100)",
    )
    group.add_argument(
        "--classes",
        nargs="+",
        metavar="LABEL",
        help="all classes, needed if a pipe does not show them in its first rows",
    )
    group.add_argument("--seed", type=count, metavar="N", help="seed that makes random choices repeatable")
    group.add_argument("--jobs", type=int, metavar="N", help="number of threads (does not affect results)")
    group.add_argument(
        "--progress",
        choices=("auto", "line", "doubling", "off"),
        default="auto",
        metavar="WAY",
        help="line, doubling (the report of Vowpal Wabbit), off, or auto (default): a line in a terminal",
    )
