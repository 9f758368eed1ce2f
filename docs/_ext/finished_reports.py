"""Two finished reports for the site: DNFWinnow on the incomes of 32,561 adults, and a committee on text messages."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from winnowkit import Committee, DNFWinnow
from winnowkit.data import Frame, TableEncoder, load_dataset, read_table

DATA = Path(__file__).parents[1] / "data"
NOTE = "An example of a report, on public data. Do not use the model for anything."


def adult(path: Path) -> None:
    """Write the report on incomes."""
    X, y = read_table(DATA / "adult.csv.gz", target="label")
    model = DNFWinnow(random_state=0, verbose=False).fit(X, y)
    model.report(X, y, title="Incomes of adults", target="income", note=NOTE, verbose=False).save(path)


def sms_spam(path: Path) -> None:
    """Write the report on text messages."""
    dataset = load_dataset("sms-spam")
    messages = np.array([str(row[0]) for row in np.asarray(dataset.data, dtype=object).reshape(-1, 1)], dtype=object)
    table, labels = Frame({"message": messages}), np.asarray(dataset.target)
    encoder = TableEncoder(text=["message"]).fit(table)
    model = Committee(random_state=0).fit(encoder.transform(table), labels)
    page = model.report(
        table, labels, encoder=encoder, title="Spam among text messages", target="kind", note=NOTE, verbose=False
    )
    page.save(path)


def write(folder: Path) -> None:
    """Write both reports into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        adult(folder / "adult.html")
        sms_spam(folder / "sms-spam.html")


def finished(app: Any, failure: Exception | None) -> None:
    """Add the reports to a site that was built."""
    if failure is None and app.builder.name == "html":
        write(Path(app.outdir) / "reports")


def setup(app: Any) -> dict[str, Any]:
    """Connect the hook."""
    app.connect("build-finished", finished)
    return {"parallel_read_safe": True}
