"""DNFWinnow from parameters of its own, of its encoder and of its training, all in one mapping."""

from winnowkit import DNFWinnow
from winnowkit.data import CategoryEncoder
from winnowkit.dnf import MistakeDriven


def dnf(**flat):
    encoder, training = (
        kind(**{name: flat.pop(name) for name in kind().get_params() if name in flat})
        for kind in (CategoryEncoder, MistakeDriven)
    )
    return DNFWinnow(encoder=encoder, training=training, **flat)
