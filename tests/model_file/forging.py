"""Model files whose contents are forged but whose checksums are right."""

from winnowkit.model_file.codec import Encoder
from winnowkit.model_file.container import write


def node(name, value):
    return {"type": name, "value": value}


def parts(model):
    """Return the JSON and the arrays of a model."""
    encoder = Encoder()
    return encoder.encode(model), encoder.arrays


def forge(path, model, arrays=None, **document):
    """Write a file with this JSON for a model."""
    write(path, {"model": model, "notes": node("dict", []), **document}, arrays or {})
