"""Pack the UCI data sets into ``src/winnowkit/data/bundled``.

    python tools/bundle_data.py FOLDER

FOLDER holds the files of the UCI Machine Learning Repository (https://archive.ics.uci.edu) as comma-separated values
without a header, ``NAME.csv``, each beside a description ``NAME.json`` with its ``columns``, their ``types``
("nominal", "numeric", "text" or "id"), the ``target`` column, the ``rows`` to expect and the ``sha256`` of the csv.
Made from: anneal.data, anneal.test, breast-cancer.data, car.data, house-votes-84.data, imports-85.data, iris.data,
monks-{1,2,3}.{train,test} and heart.dat (blanks turned into commas), crx.data (as credit-a), SMSSpamCollection (as
sms-spam) and tic-tac-toe.data. In heart.csv the class is "absent" (1) or "present" (2).

Values are kept as they stand, "?" for missing; "id" columns are dropped and the target moved to the end. Packing is
reproducible: the same input gives the same bytes (gzip's time stamp is 0).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

BUNDLED = Path(__file__).parents[1] / "src" / "winnowkit" / "data" / "bundled"


class Source(NamedTuple):
    """The origin of a data set, and its description."""

    file: str
    about: str
    citation: str


UCI = "UCI Machine Learning Repository, https://doi.org/10.24432/"
ANNEALING = (
    "Steel annealing: which of the classes 1, 2, 3, 5 and U (class 4 has no example) a coil or sheet belongs to, from "
    "38 attributes. Most values are missing, and most missing ones mean 'does not apply', so a missing value says "
    "something here. The {} examples of the repository's {} file; {} has the others."
)
ANNEALING_CITATION = f"Sterling, D. & Buntine, W. (donors). Annealing. {UCI}C5RW2F"
MONKS = {
    1: "a1 = a2 or a5 = 1",
    2: "exactly two of the six attributes have their first value",
    3: "(a5 = 3 and a4 = 1) or (a5 != 4 and a2 != 3), with 5% of wrong labels in the training examples",
}
MONKS_CITATION = (
    "Thrun, S. et al. (1991). The MONK's Problems: A Performance Comparison of Different Learning Algorithms. "
    "Technical report CMU-CS-91-197, Carnegie Mellon University. Wnek, J. (donor, 1992). MONK's Problems. "
    "UCI Machine Learning Repository, https://archive.ics.uci.edu/dataset/70/monk+s+problems"
)

SOURCES = {
    "iris": Source(
        "iris",
        "Three species of iris by the length and width of sepal and petal, in cm. As in the repository, whose file "
        "differs from Fisher's article in two examples.",
        f"Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7, 179-188. "
        f"Iris. {UCI}C56C76",
    ),
    "car": Source(
        "car",
        "How acceptable a car is, by price, comfort and safety: all 1,728 combinations under a decision model.",
        "Bohanec, M. & Rajkovic, V. (1988). Knowledge acquisition and explanation for multi-attribute decision making. "
        "8th International Workshop on Expert Systems and their Applications, Avignon, 59-78. "
        f"Bohanec, M. (1997). Car Evaluation. {UCI}C5JP48",
    ),
    "breast-cancer": Source(
        "breast-cancer",
        "Whether breast cancer came back after treatment, by nine attributes (numbers given as ranges).",
        "Zwitter, M. & Soklic, M. (1988). Breast Cancer. Institute of Oncology, University Medical Centre, Ljubljana. "
        f"{UCI}C51P4M",
    ),
    "voting": Source(
        "house-votes-84",
        "Party of members of the US House of Representatives by 16 key votes of 1984; neither yea nor nay is missing.",
        "Congressional Quarterly Almanac, 98th Congress, 2nd session 1984, volume XL (1985), Washington, D.C.; "
        f"Schlimmer, J. (donor, 1987). Congressional Voting Records. {UCI}C5C01P",
    ),
    "auto": Source(
        "imports-85",
        "Insurers' risk rating (symboling, -2 safe ... 3 risky) of cars imported to the US in 1985, from the other 25 "
        "columns.",
        f"Schlimmer, J. (1987). Automobile. From 1985 Ward's Automotive Yearbook and insurers' reports. {UCI}C5B01C",
    ),
    "annealing": Source(
        "anneal",
        ANNEALING.format(798, "training", "'annealing-test'"),
        ANNEALING_CITATION,
    ),
    "annealing-test": Source(
        "anneal-test",
        ANNEALING.format(100, "test", "'annealing'"),
        ANNEALING_CITATION,
    ),
    "tic-tac-toe": Source(
        "tic-tac-toe",
        "Every board at the end of a game of tic-tac-toe in which x began: positive if x has three in a row.",
        f"Aha, D. (1991). Tic-Tac-Toe Endgame. {UCI}C5688J",
    ),
    **{
        f"monks-{i}{suffix}": Source(
            f"monks-{i}_{part}",
            f"The MONK's problem {i}: robots described by six attributes; class 1 iff {rule}. "
            + ("The training examples." if part == "train" else "All 432 robots, rightly labelled."),
            MONKS_CITATION,
        )
        for i, rule in MONKS.items()
        for suffix, part in (("", "train"), ("-test", "test"))
    },
    "credit-a": Source(
        "credit-a",
        "Applications for a credit card: + was approved, - was not. To protect the applicants, the columns have no "
        "names and the categories are symbols.",
        "Quinlan, J. R. (1987). Simplifying decision trees. International Journal of Man-Machine Studies 27, 221-234. "
        f"Credit Approval. {UCI}C5FS30",
    ),
    "sms-spam": Source(
        "sms-spam",
        "Text messages in English, as they were sent: spam, or not (ham).",
        "Almeida, T. A., Gomez Hidalgo, J. M. & Yamakami, A. (2011). Contributions to the study of SMS spam filtering: "
        "new collection and results. 11th ACM Symposium on Document Engineering, 259-262. "
        f"SMS Spam Collection. {UCI}C5CC84",
    ),
    "heart": Source(
        "heart",
        "Whether a patient has heart disease. Codes: sex 1 male; chest_pain 1 typical angina, 2 atypical, 3 other "
        "pain, 4 none; exercise_angina 1 yes; slope (of the ST segment) 1 up, 2 flat, 3 down; thal 3 normal, 6 fixed "
        "defect, 7 reversible defect; major_vessels counts vessels coloured by fluoroscopy, oldpeak is the ST "
        "depression.",
        f"Statlog (Heart), from the Cleveland data of R. Detrano. {UCI}C57303",
    ),
}


def pack(folder: Path, source: Source) -> tuple[bytes, dict[str, Any]]:
    """Return the compressed table and the metadata of one data set."""
    described = json.loads((folder / f"{source.file}.json").read_text(encoding="utf-8"))
    raw = (folder / f"{source.file}.csv").read_bytes()
    if (found := hashlib.sha256(raw).hexdigest()) != described["sha256"]:
        sys.exit(f"{source.file}.csv has sha256 {found}, its description says {described['sha256']}")
    rows = [row for row in csv.reader(io.StringIO(raw.decode())) if row]
    if len(rows) != described["rows"]:
        sys.exit(f"{source.file}.csv has {len(rows)} rows, its description says {described['rows']}")
    columns, kinds, target = described["columns"], described["types"], described["target"]
    features = [name for name in columns if name != target and kinds[name] != "id"]
    order = [columns.index(name) for name in [*features, target]]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([row[i] for i in order] for row in rows)
    metadata = {
        "about": source.about,
        "citation": source.citation,
        "rows": len(rows),
        "target": target,
        "types": {name: kinds[name] for name in features},
        "source": {"file": f"{source.file}.csv", "sha256": described["sha256"]},
    }
    return gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0), metadata


def main(folder: Path) -> None:
    """Write every table and the single file of metadata."""
    BUNDLED.mkdir(exist_ok=True)
    metadata = {}
    for name, source in SOURCES.items():
        table, metadata[name] = pack(folder, source)
        (BUNDLED / f"{name}.csv.gz").write_bytes(table)
    text = json.dumps(metadata, indent=1, ensure_ascii=False)
    (BUNDLED / "datasets.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
