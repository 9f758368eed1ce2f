"""What an experiment leaves in its folder: the tidy table as CSV, everything as JSON, plots as SVG."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict
from pathlib import Path

from winnowkit.core.atomic_write import replacing
from winnowkit.experiments.frame.experiment import Experiment, Summary


def write(folder: Path, experiment: Experiment, summary: Summary, plots: list[bytes]) -> None:
    """Write ``table.csv``, ``summary.json`` and ``plot-1.svg``, ... into ``folder/<name>``."""
    place = folder / experiment.name
    place.mkdir(parents=True, exist_ok=True)
    columns = list(dict.fromkeys(name for record in summary.records for name in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(summary.records)
    whole = {
        "experiment": experiment.name,
        "title": experiment.title,
        "records": summary.records,
        "verdicts": [asdict(verdict) for verdict in summary.verdicts],
        "tables": [table._asdict() for table in summary.tables],
    }
    files = {"table.csv": text.getvalue().encode(), "summary.json": json.dumps(whole, indent=1).encode() + b"\n"}
    files |= {f"plot-{i}.svg": data for i, data in enumerate(plots, start=1)}
    for name, data in files.items():
        with replacing(place / name) as file:
            file.write(data)
