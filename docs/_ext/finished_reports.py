"""Two finished reports for the site, on bundled data: DNFWinnow on heart disease, a committee on text messages."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from winnowkit import Committee, DNFWinnow
from winnowkit.data import Frame, TableEncoder, load_dataset

NOTE = "An example of a report, on public data. Do not use the model for anything."


def heart(path: Path) -> None:
    """Write the report on heart disease."""
    dataset = load_dataset("heart", as_frame=True)
    model = DNFWinnow(random_state=0, verbose=False).fit(dataset.data, dataset.target)
    model.report(dataset.data, dataset.target, title="Heart disease", target="disease", note=NOTE).save(path)


def sms_spam(path: Path) -> None:
    """Write the report on text messages."""
    dataset = load_dataset("sms-spam")
    messages = np.array([str(row[0]) for row in np.asarray(dataset.data, dtype=object).reshape(-1, 1)], dtype=object)
    table, labels = Frame({"message": messages}), np.asarray(dataset.target)
    encoder = TableEncoder(text=["message"]).fit(table)
    model = Committee(random_state=0).fit(encoder.transform(table), labels)
    model.report(table, labels, encoder=encoder, title="Spam among text messages", target="kind", note=NOTE).save(path)


def write(folder: Path) -> None:
    """Write both reports into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        heart(folder / "heart.html")
        sms_spam(folder / "sms-spam.html")


def finished(app: Any, failure: Exception | None) -> None:
    """Add the reports to a site that was built."""
    if failure is None and app.builder.name == "html":
        write(Path(app.outdir) / "reports")


def setup(app: Any) -> dict[str, Any]:
    """Connect the hook."""
    app.connect("build-finished", finished)
    return {"parallel_read_safe": True}
