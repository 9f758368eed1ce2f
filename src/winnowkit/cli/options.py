"""The options of every command, with the texts of ``--help``."""

from __future__ import annotations

import argparse

from winnowkit.cli.parser import FORMATS, LEARNERS, Parser, count, learner_name, positive
from winnowkit.cli.shared_options import Commands, dask_option, data_options, json_options, learner_options, new_command


def build() -> Parser:
    """Return the parser of the whole command line."""
    parser = Parser(
        prog="winnowkit",
        description="Attribute-efficient learning from tables and streams: Winnow and its relatives.",
        epilog="""getting started:
  winnowkit datasets voting --output voting.csv       write an example table
  winnowkit fit voting.csv --output voting.winnow     learn; the last column has the classes
  winnowkit inspect voting.winnow                     show what was learned
  winnowkit predict voting.winnow new.csv             predict labels of other rows
  winnowkit evaluate voting.csv --folds 10            estimate the error by cross-validation

exit codes: 0 success, 1 failure, 2 usage or input error, 130 interrupted (Ctrl-C), 143 terminated""",
    )
    parser.add_argument("--version", action="store_true", help="show the version and exit")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    for add in (
        _fit,
        _predict,
        _evaluate,
        _inspect,
        _explain,
        _report,
        _convert,
        _datasets,
        _demo,
        _bench,
        _reproduce,
        _warmup,
        _completion,
    ):
        add(commands)
    return parser


def _fit(commands: Commands) -> None:
    parser = new_command(
        commands,
        "fit",
        "learn from a file or a stream and write a model file",
        """examples:
  winnowkit fit train.csv --target class --output model.winnow
  winnowkit fit news.libsvm.gz --learner Winnow2 --set alpha=1.3 --passes 3 -o news.winnow
  cat more.csv | winnowkit fit - --format csv --resume model.winnow
  winnowkit fit 'rows/*.parquet' --dask tcp://10.0.0.1:8786 --output model.winnow

Without --learner, sparse data, text, streams and tables of more than 100 columns go to Committee.
For other tables DNFWinnow and Committee are tried on a sample, and the summary says how each did.
Ctrl-C saves what has been learned so far.""",
    )
    parser.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    parser.add_argument(
        "-o", "--output", metavar="MODEL", help="the model file to write (default with --resume: the same file)"
    )
    parser.add_argument("--resume", metavar="MODEL", help="continue with the model in this file")
    dask_option(parser)
    learner_options(parser)
    data_options(parser)
    json_options(parser)


def _predict(commands: Commands) -> None:
    parser = new_command(
        commands,
        "predict",
        "predict one label per row of a file or a stream",
        """Columns are found by name, in any order; other columns are not used. If the data include
the target, the proportion of wrong labels is printed on standard error.""",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    parser.add_argument("-o", "--output", metavar="FILE", help="file for the labels (default: standard output)")
    parser.add_argument("--scores", action="store_true", help="write decision values too, as CSV with a header line")
    dask_option(parser)
    data_options(parser, labelled=False)
    parser.add_argument("--json", action="store_true", help="write one JSON object per row")


def _evaluate(commands: Commands) -> None:
    parser = new_command(
        commands,
        "evaluate",
        "measure the error on line, by cross-validation, or of a saved model",
        """By default, each row is predicted and then learned from, in constant memory however long
the source is. --folds K cross-validates; --model evaluates a model without learning.""",
    )
    parser.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    parser.add_argument("--folds", type=int, metavar="K", help="cross-validate with K folds")
    parser.add_argument("--model", metavar="MODEL", help="evaluate the model in this file")
    dask_option(parser)
    learner_options(parser)
    data_options(parser)
    json_options(parser)


def _inspect(commands: Commands) -> None:
    parser = new_command(
        commands, "inspect", "show a model: parameters, mistakes, bounds, rules or heaviest attributes"
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument(
        "--top",
        type=count,
        default=10,
        metavar="N",
        help="number of rules or attributes to show in total (default: 10)",
    )
    parser.add_argument("--k", type=positive, default=5, help="size of the target that the bound assumes (default: 5)")
    json_options(parser)


def _explain(commands: Commands) -> None:
    parser = new_command(
        commands,
        "explain",
        "show why a model predicts what it predicts, and what would flip it",
        "Models of DNFWinnow show the terms that decide, linear models the attributes. Rows are counted from 0.",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("data", metavar="DATA", help="a file, or - for standard input")
    parser.add_argument(
        "--rows", type=count, nargs="+", default=[0], metavar="N", help="rows to explain (default: 0, the first)"
    )
    parser.add_argument(
        "--terms",
        type=int,
        default=5,
        choices=range(1, 9),
        metavar="N",
        help="number of terms or attributes to show, 1 to 8 (default: 5)",
    )
    data_options(parser, labelled=False)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="write one JSON object per row")
    form.add_argument("--html", action="store_true", help="write a page in the look of a report")


def _report(commands: Commands) -> None:
    parser = new_command(
        commands,
        "report",
        "write a page on a model: rules, errors, importance, what if",
        """examples:
  winnowkit report model.winnow train.csv --output report.html
  winnowkit report model.winnow train.csv --test test.csv --output report.html
  winnowkit report rules.txt new.csv --output report.html

DATA are the rows that the model learned from. All figures are of other rows: those of --test,
or each row is predicted by a model that learned from the others (5-fold cross-validation).
MODEL may be a file of rules, as text or JSON.""",
    )
    parser.add_argument("model", metavar="MODEL", help="a model file, or a file of rules")
    parser.add_argument("data", metavar="DATA", help="a file with the rows that the model learned from")
    parser.add_argument(
        "-o", "--output", metavar="FILE", default="report.html", help="page to write (default: report.html)"
    )
    parser.add_argument("--test", metavar="FILE", help="file with rows that the model did not learn from")
    parser.add_argument("--title", metavar="TEXT", help="heading of the page")
    parser.add_argument("--note", metavar="TEXT", default="", help="what the model is for, and what it is not for")
    parser.add_argument("--no-rows", action="store_true", help="put no rows of the data into the page")
    data_options(parser)


def _convert(commands: Commands) -> None:
    parser = new_command(commands, "convert", "convert data to another format, or a linear model to ONNX")
    parser.add_argument("data", metavar="FROM", help="a data file, or a model file")
    parser.add_argument(
        "output", metavar="TO", help="the file to write: .csv, .tsv, .libsvm, .arff, .parquet, ... or .onnx"
    )
    parser.add_argument(
        "--to", default="auto", choices=("auto", *FORMATS), metavar="FORMAT", help="format of TO (default: by its name)"
    )
    data_options(parser)


def _datasets(commands: Commands) -> None:
    parser = new_command(commands, "datasets", "list, describe or write the bundled data sets")
    parser.add_argument("name", nargs="?", metavar="NAME", help="data set to describe or write")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the data set to this CSV file")
    json_options(parser)


def _demo(commands: Commands) -> None:
    parser = new_command(commands, "demo", "show a table, text messages and a stream being learned")
    parser.add_argument("--rows", type=positive, metavar="N", help="examples per stream")
    parser.add_argument("--output", metavar="FOLDER", default="output", help="folder for the plot (default: output)")


def _bench(commands: Commands) -> None:
    parser = new_command(commands, "bench", "measure speed and mistakes of learners on a generated stream")
    parser.add_argument(
        "--learner", nargs="+", metavar="NAME", type=learner_name, choices=LEARNERS, help="learners to measure"
    )
    parser.add_argument("--rows", type=int, default=50_000, help="rows of the stream (default: 50000)")
    parser.add_argument("--attributes", type=int, default=100_000, help="attributes of the stream (default: 100000)")
    parser.add_argument("--relevant", type=int, default=5, help="relevant attributes (default: 5)")
    parser.add_argument("--noise", type=float, default=0.0, help="proportion of flipped labels (default: 0)")
    parser.add_argument("--repeat", type=int, default=3, help="repetitions, of which the best counts (default: 3)")
    parser.add_argument("--seed", type=count, help="seed of the stream")
    json_options(parser)


def _reproduce(commands: Commands) -> None:
    parser = new_command(
        commands,
        "reproduce",
        "reproduce the tables and figures of the papers, with verdicts and a report",
        """examples:
  winnowkit reproduce --jobs 2                           all of them at a quick scale
  winnowkit reproduce tao-scott-table-5 lecture          by name, or the beginning of a name
  winnowkit reproduce --scale paper --dask tcp://10.0.0.1:8786

Every finished cell is saved at once, so the same command continues an interrupted run.""",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments to run (default: all; see --list)")
    parser.add_argument("--list", action="store_true", help="list names, cells and estimated times, and run nothing")
    parser.add_argument(
        "--scale", choices=("quick", "paper"), default="quick", metavar="SCALE", help="quick (default) or paper"
    )
    parser.add_argument(
        "--seed", type=count, default=0, metavar="N", help="seed from which all seeds are derived (default: 0)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="number of processes (default: 1); -1 is one per core")
    parser.add_argument("--dask", metavar="ADDRESS", help="run the cells on this Dask cluster, tcp://host:port")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        default="output/reproduce",
        help="folder for the results (default: output/reproduce)",
    )
    parser.add_argument("--fresh", action="store_true", help="discard cells finished by earlier runs")
    parser.add_argument(
        "--plots", action=argparse.BooleanOptionalAction, default=True, help="whether to draw plots with matplotlib"
    )
    json_options(parser)


def _warmup(commands: Commands) -> None:
    parser = new_command(
        commands,
        "warmup",
        "compile all learners, so that no later command has to",
        """The machine code is kept beside the package, or in your cache if that cannot be written. To share it
between users, set WINNOWKIT_CACHE_DIR to a folder that only its owner and root can write to.""",
    )
    parser.add_argument("--jobs", type=count, metavar="N", help="the number of processes (default: one per processor)")


def _completion(commands: Commands) -> None:
    parser = new_command(
        commands,
        "completion",
        "print a script that completes commands and options in a shell",
        'bash: eval "$(winnowkit completion bash)" in ~/.bashrc; zsh likewise;\n'
        "fish: winnowkit completion fish > ~/.config/fish/completions/winnowkit.fish",
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), metavar="SHELL", help="bash, zsh or fish")
