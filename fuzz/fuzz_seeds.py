"""Seeds of the fuzzer: a small valid input of each kind, and the keywords of the formats."""

from __future__ import annotations

import gzip
import io
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from fuzz_targets import taken_apart

import winnowkit
from winnowkit import DNFWinnow, save
from winnowkit.data import CategoryEncoder, Frame, write_table
from winnowkit.dnf import Auto, Exact, Ladder, MistakeDriven
from winnowkit.model_file import records
from winnowkit.model_file.codec import KINDS
from winnowkit.rulesets import Condition, Rule, RuleSet

TEXTS = {
    "csv": [b'colour,size,class\nred,1,yes\n"light, blue",?,no\n', b"a;b\r\n1,5;2\r\n", b"\xef\xbb\xbfx,y\n1,2\n"],
    "tsv": [b"a\tb\n1\t2\n"],
    "arff": [
        b"@relation r\n@attribute a numeric\n@attribute 'b c' {x,'y z'}\n@data\n1,x\n?,'y z'\n",
        b"@relation r\n@attribute a integer\n@attribute b {0,1}\n@attribute c string\n@data\n{0 3, 1 1}\n{}\n",
    ],
    "vw": [b"1 2.0 'tag|words:0.5 red:2 big |other x y:3\n-1 | a b 12:1e-3\n", b"| a b\n"],
    "snow": [b"0, 7, 13(2.5):\n1, 7:\n", b"3,\n4,5(1):"],
    "libsvm": [b"1 1:0.5 3:1\n-1 qid:3 2:1e-5 # note\n\n# all\n+1 7:123456789012345678901\n"],
}
TEXTS["libsvm-chunks"] = TEXTS["libsvm"]
TEXTS["auto"] = [text for texts in list(TEXTS.values()) for text in texts]
WORDS = {
    "csv": ["?", "NA", "nan", "inf", "1e308", '\\"', ";", "|", "\\x09", "\\x0d\\x0a", "\\xef\\xbb\\xbf", "\\x00"],
    "arff": ["@attribute ", "@data", "@relation ", "numeric", "integer", "real", "string", "date", "{0,1}", "?", "'"],
    "vw": ["|", ":", "'", "nan", "1e400", "0x1", "-0"],
    "snow": ["(", ")", ":", ",", "2147483647", "1e400"],
    "libsvm": ["qid:", "#", "inf", "nan", "1e400", "e-", "2147483646", ":", "\\x0c", "9007199254740993", "4.9e-324"],
    "rules-text": ["if ", " and ", " then ", "else ", "columns: ", "missing", "present", "<=", "always", "log weight"],
    "rules-json": ['\\"format\\"', '\\"rules\\"', '\\"if\\"', '\\"then\\"', '\\"else\\"', '\\"columns\\"'],
}


def models() -> Iterator[bytes]:
    """Return a model file of each learner, fitted to four columns."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (12, 4))
    y = np.array(["no", "yes"])[X[:, 0] | X[:, 2]]
    table = np.array(["a", "b", None], dtype=object)[rng.integers(0, 3, (12, 4))]
    learners = [getattr(winnowkit, name)() for name in winnowkit.__all__ if name[0].isupper()]
    learners += [
        winnowkit.Winnow2(negations=True),
        winnowkit.SASB(voting=3),
        winnowkit.DirectedDrift(batch=20, random_state=np.random.RandomState(1)),
        DNFWinnow(max_literals=2, random_state=np.random.default_rng(2), training=MistakeDriven()),
        DNFWinnow(
            max_literals=None,
            training=MistakeDriven(two_class="pair"),
            encoder=CategoryEncoder(special={0: [9]}),
            engine=Auto(Exact(5), Ladder(steps=20, burn_in=5)),
        ),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for learner in learners:
            rows = X
            if isinstance(learner, DNFWinnow):
                rows = table if learner.encoder is None else X.astype(float)
            save(learner.fit(rows, y), path)
            yield path.read_bytes()
        save(winnowkit.Winnow2(), path, notes={"columns": ["a"], "odd": (1, float("nan"), 2**70)})
        yield path.read_bytes()


def arrow(format: str) -> bytes:  # noqa: A002 - write_table's name for it
    """Return a small table in one of the formats of Arrow."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"table.{format}"
        write_table(Frame({"size": [1.0, np.nan], "colour": ["red", None]}), [0, 1], path)
        return path.read_bytes()


def rules() -> RuleSet:
    """Return rules with one of each kind of condition."""
    tests = [
        Condition("a", "=", "x"),
        Condition("b c", ">=", 1.5),
        Condition("b c", "<", 2.5),
        Condition("d", "missing"),
        Condition("e", "present"),
        Condition("e", "=", 3),
    ]
    return RuleSet(
        [Rule(tests, "yes", log_weight=1.5, support=3, precision=0.5), Rule([], True)], "no", ["a", "b c", "d", "e"]
    )


def seeds(target: str) -> list[bytes]:
    """Return valid inputs of a target."""
    if target in TEXTS:
        return TEXTS[target]
    if target == "packed":
        file = io.BytesIO()
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed_file:
            packed_file.write(TEXTS["csv"][0])
        return [file.getvalue(), file.getvalue()[3:], TEXTS["csv"][0]]
    if target in ("parquet", "feather"):
        return [arrow(target)]
    if target == "rules-text":
        return [rules().to_text().encode()]
    if target == "rules-json":
        return [rules().to_json().encode()]
    return list(models() if target == "model-file" else map(taken_apart, models()))


def dictionary(target: str) -> list[str]:
    """Return words that the fuzzer may insert, escaped for libFuzzer."""
    if target == "model":
        names = [*KINDS, *records.INSIDE, "array", "records", "strings", "times", "Exact", "Winnow2", "DNFWinnow"]
        nodes = [f'{{\\"type\\":\\"{name}\\",\\"value\\":' for name in names]
        return [*nodes, "null", "[]", "{}", "-1", "1e999", "9223372036854775808", '\\"F64\\"', '\\"I64\\"']
    return WORDS.get(target.removesuffix("-chunks"), WORDS["csv"])
