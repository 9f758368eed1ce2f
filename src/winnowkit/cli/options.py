"""The options of every command, and what ``--help`` says of them."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any, NoReturn

from winnowkit.cli.errors import UserError, instead
from winnowkit.cli.names import FORMATS, LEARNERS


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, with what to do."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing the usage."""
        unknown = re.match(r"unrecognized arguments: (\S+)", message)
        if unknown:
            flags = [flag for action in self._actions for flag in action.option_strings if flag.startswith("--")]
            raise UserError(f"unknown option {unknown[1]!r}; {instead(unknown[1], flags)} (see {self.prog} --help)")
        choice = re.match(r"argument (\S+): invalid choice: '(.*?)' \(choose from (.*)\)", message)
        if choice:
            known = [name.strip("' ") for name in choice[3].split(",")]
            what = {"COMMAND": "command", "--learner": "learner"}.get(choice[1], f"value for {choice[1]}")
            raise UserError(f"{choice[2]!r} is no {what}; {instead(choice[2], known)} (see {self.prog} --help)")
        if "required" in message:
            message += "; name it before the options that take several values"
        raise UserError(f"{message} (see {self.prog} --help)")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Refuse unknown options here, where the command's own ones are known."""
        found, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unrecognized arguments: {rest[0]}")
        return found, rest


def build() -> Parser:
    """The whole command line."""
    parser = Parser(
        prog="winnowkit",
        description="Learn from tables and streams, attribute-efficiently: Winnow and its relatives.",
        epilog="""a first way through:
  winnowkit datasets voting --output voting.csv       a table to play with
  winnowkit fit voting.csv --output voting.winnow     learn; the last column has the classes
  winnowkit inspect voting.winnow                     what was learned
  winnowkit predict voting.winnow new.csv             labels for other rows
  winnowkit evaluate voting.csv --folds 10            how good is it?

exit codes: 0 done, 1 failed, 2 something to mend in the command or the data, 130 interrupted (Ctrl-C)""",
    )
    parser.add_argument("--version", action="store_true", help="show the version and leave")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for add in (
        _fit,
        _predict,
        _evaluate,
        _inspect,
        _explain,
        _convert,
        _datasets,
        _demo,
        _bench,
        _reproduce,
        _completion,
    ):
        add(commands)
    return parser


Commands = Any  # argparse's sub-parsers


def _command(commands: Commands, name: str, about: str, epilog: str | None = None) -> Parser:
    parser: Parser = commands.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + ".", epilog=epilog
    )
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="no progress and no summary, only what was asked for"
    )
    parser.add_argument("--traceback", action="store_true", help="show where in the code an error came from")
    return parser


def _json(parser: Parser) -> None:
    parser.add_argument("--json", action="store_true", help="results as JSON on standard output")


def _data(parser: Parser, *, labelled: bool = True) -> None:
    group = parser.add_argument_group("data")
    group.add_argument("--format", default="auto", choices=("auto", *FORMATS), metavar="FORMAT", help=_formats())
    if labelled:
        group.add_argument(
            "--target", metavar="COLUMN", help="name or position of the classes (default: the last column)"
        )
        group.add_argument("--columns", nargs="+", metavar="COLUMN", help="learn from these columns only")
        group.add_argument("--ignore", nargs="+", action="extend", metavar="COLUMN", help="leave these columns out")
        group.add_argument("--n-features", type=_positive, metavar="N", help="attributes of sparse data from a pipe")
        group.add_argument(
            "--skip", type=_count, default=0, metavar="ROWS", help="leave out so many rows at the beginning"
        )
    group.add_argument(
        "--types",
        nargs="+",
        default=[],
        metavar="COLUMN=TYPE",
        help="numeric or category, where it is not to be guessed",
    )
    group.add_argument(
        "--header", action=argparse.BooleanOptionalAction, default=None, help="whether CSV begins with names (guessed)"
    )
    group.add_argument(
        "--chunk-rows", type=_positive, default=10_000, metavar="ROWS", help="rows read at a time (10000)"
    )


def _formats() -> str:
    return f"auto (default: by name or content), {', '.join(FORMATS)}; .gz and .zst are unpacked"


def _learner(parser: Parser) -> None:
    group = parser.add_argument_group("learner")
    group.add_argument(
        "--learner", metavar="NAME", type=_learner_name, choices=LEARNERS, help=f"one of {', '.join(LEARNERS)}"
    )
    group.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="parameters: alpha=1.3 theta=auto"
    )
    group.add_argument("--passes", type=_positive, metavar="N", help="times over the data (1; DNFWinnow: at most 100)")
    group.add_argument(
        "--classes", nargs="+", metavar="LABEL", help="all labels that may come, for a stream from a pipe"
    )
    group.add_argument("--seed", type=_count, metavar="N", help="makes random choices repeatable")
    group.add_argument("--jobs", type=int, metavar="N", help="threads (results do not depend on it)")
    group.add_argument(
        "--progress",
        choices=("auto", "line", "doubling", "off"),
        default="auto",
        metavar="WAY",
        help="line, doubling (Vowpal Wabbit's report) or off; auto (default): a line if a person is watching",
    )


def _fit(commands: Commands) -> None:
    parser = _command(
        commands,
        "fit",
        "learn from a file or a stream, and keep the model",
        """examples:
  winnowkit fit train.csv --target class --output model.winnow
  winnowkit fit news.libsvm.gz --learner Winnow2 --set alpha=1.3 --passes 3 -o news.winnow
  cat more.csv | winnowkit fit - --format csv --resume model.winnow

Without --learner the first rows decide: DNFWinnow for a table of less than 10,000 rows and
at most 100 columns, Committee for sparse or boolean data and longer tables.
Ctrl-C keeps what has been learned so far.""",
    )
    parser.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    parser.add_argument("-o", "--output", metavar="MODEL", help="the model file (with --resume: that one)")
    parser.add_argument("--resume", metavar="MODEL", help="go on with the model in this file")
    _learner(parser)
    _data(parser)
    _json(parser)


def _predict(commands: Commands) -> None:
    parser = _command(
        commands,
        "predict",
        "a label for each row of a file or a stream",
        """Columns are found by their names, wherever they stand; others are not used.
If the target is among them, the share of wrong labels is said on standard error.""",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the labels go (default: standard output)")
    parser.add_argument("--scores", action="store_true", help="the decisions too: CSV with a first line of names")
    _data(parser, labelled=False)
    parser.add_argument("--json", action="store_true", help="a JSON object a line")


def _evaluate(commands: Commands) -> None:
    parser = _command(
        commands,
        "evaluate",
        "count mistakes: on line, by cross-validation, or of a model",
        """On line (default) each row is predicted, then learned from: in constant memory,
however long the source is. With --folds K, K-fold cross-validation; with --model, the
model as it is, nothing learned.""",
    )
    parser.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    parser.add_argument("--folds", type=int, metavar="K", help="cross-validation in K parts")
    parser.add_argument("--model", metavar="MODEL", help="evaluate the model in this file")
    _learner(parser)
    _data(parser)
    _json(parser)


def _inspect(commands: Commands) -> None:
    parser = _command(
        commands, "inspect", "what is in a model: parameters, mistakes, bounds, rules or heaviest attributes"
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("--top", type=_count, default=10, metavar="N", help="rules or attributes to show (10)")
    parser.add_argument("--k", type=_positive, default=5, help="size of the target that the bound assumes (5)")
    _json(parser)


def _explain(commands: Commands) -> None:
    parser = _command(
        commands,
        "explain",
        "why a model predicts what it predicts, and what would flip it",
        "For models of DNFWinnow. Rows are counted from 0.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    parser.add_argument("--rows", type=_count, nargs="+", default=[0], metavar="N", help="rows to explain (the first)")
    parser.add_argument(
        "--terms", type=int, default=5, choices=range(1, 9), metavar="N", help="terms to show, 1 to 8 (5)"
    )
    _data(parser, labelled=False)
    parser.add_argument("--json", action="store_true", help="a JSON object a row")


def _convert(commands: Commands) -> None:
    parser = _command(commands, "convert", "data from one format to another, or a linear model to ONNX")
    parser.add_argument("data", metavar="FROM", help="data, or a model file")
    parser.add_argument("output", metavar="TO", help="by its name: .csv, .tsv, .libsvm, .arff, .parquet, ... or .onnx")
    parser.add_argument("--to", default="auto", choices=("auto", *FORMATS), metavar="FORMAT", help="format of TO")
    _data(parser)


def _datasets(commands: Commands) -> None:
    parser = _command(commands, "datasets", "the tables that come with winnowkit")
    parser.add_argument("name", nargs="?", metavar="NAME", help="describe this one")
    parser.add_argument("-o", "--output", metavar="FILE", help="write it to a CSV file")
    _json(parser)


def _demo(commands: Commands) -> None:
    parser = _command(commands, "demo", "learners beside a perceptron on streams of 100,000 attributes, and two tables")
    parser.add_argument("--rows", type=_positive, metavar="N", help="examples in each stream")
    parser.add_argument("--output", metavar="FOLDER", default="output", help="where the plot goes (output)")


def _bench(commands: Commands) -> None:
    parser = _command(commands, "bench", "speed and mistakes of learners on a generated stream, on this machine")
    parser.add_argument("--learner", nargs="+", metavar="NAME", type=_learner_name, choices=LEARNERS, help="which ones")
    parser.add_argument("--rows", type=int, default=50_000, help="(50000)")
    parser.add_argument("--attributes", type=int, default=100_000, help="(100000)")
    parser.add_argument("--relevant", type=int, default=5, help="how many of them matter (5)")
    parser.add_argument("--noise", type=float, default=0.0, help="share of labels flipped (0)")
    parser.add_argument("--repeat", type=int, default=3, help="best of so many (3)")
    parser.add_argument("--seed", type=_count, help="of the stream")
    _json(parser)


def _reproduce(commands: Commands) -> None:
    parser = _command(
        commands,
        "reproduce",
        "every table and figure of the papers: tables, plots, verdicts, one report",
        """examples:
  winnowkit reproduce --jobs 2                           all of it at a quick scale
  winnowkit reproduce tao-scott-table-5 lecture          by name, or the beginning of one
  winnowkit reproduce --scale paper --dask tcp://10.0.0.1:8786

Every finished cell is kept at once: the same command goes on where a killed one was.""",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="which ones (all; see --list)")
    parser.add_argument("--list", action="store_true", help="names, cells and about how long they take; run nothing")
    parser.add_argument("--scale", choices=("quick", "paper"), default="quick", metavar="SCALE", help="quick or paper")
    parser.add_argument("--seed", type=_count, default=0, metavar="N", help="from which all seeds come (0)")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes (1); -1: one a core")
    parser.add_argument("--dask", metavar="ADDRESS", help="run the cells on this Dask cluster, tcp://host:port")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", default="output/reproduce", help="where results go (output/reproduce)"
    )
    parser.add_argument("--fresh", action="store_true", help="forget cells finished before")
    parser.add_argument(
        "--plots", action=argparse.BooleanOptionalAction, default=True, help="whether to draw, with matplotlib"
    )
    _json(parser)


def _completion(commands: Commands) -> None:
    parser = _command(
        commands,
        "completion",
        "a script that completes commands and options in a shell",
        'bash: eval "$(winnowkit completion bash)" in ~/.bashrc; zsh likewise;\n'
        "fish: winnowkit completion fish > ~/.config/fish/completions/winnowkit.fish",
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least:
            raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more, got {text!r}")
        return value

    return number


_positive, _count = _at_least(1), _at_least(0)


def _learner_name(text: str) -> str:
    return {name.lower(): name for name in LEARNERS}.get(text.lower(), text)
