"""What a PMML product predicts: documents and rows come as JSON on standard input, labels go out, as strings.

Usage: python pmml_worker.py jpmml|pmml4s; both need Java.
"""

import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path


def jpmml(document, rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rules.pmml")
        path.write_text(document, encoding="utf-8")
        evaluator = import_module("jpmml_evaluator").make_evaluator(str(path), backend="jpype").verify()
    target = evaluator.getTargetFields()[0].getName()
    return evaluator.evaluateAll(import_module("pandas").DataFrame(rows, dtype=object))[target].tolist()


def pmml4s(document, rows):
    model = import_module("pypmml").Model.fromString(document)
    known = [{name: value for name, value in row.items() if value is not None} for row in rows]
    return [answer[f"predicted_{model.targetName}"] for answer in json.loads(model.predict(json.dumps(known)))]


def main():
    product = {"jpmml": jpmml, "pmml4s": pmml4s}[sys.argv[1]]
    said = [list(map(str, product(case["document"], case["rows"]))) for case in json.load(sys.stdin)]
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
