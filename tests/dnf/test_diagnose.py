import sys
import warnings
from importlib import import_module

import matplotlib as mpl
import numpy as np
import pytest

from logs import random_agreement
from winnowkit.diagnose import diagnose, plot_rungs
from winnowkit.dnf import Agreement, Ladder, MistakeLog

mpl.use("Agg")


@pytest.fixture(scope="module")
def arviz():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # it announces its next version once a day
        return import_module("arviz")


@pytest.mark.parametrize("tempering", [0.0, 0.9])
def test_chains_that_mix_have_an_r_hat_of_one_on_every_rung(arviz, tempering):
    data = diagnose(Ladder(steps=8000, tempering=tempering), random_agreement(1, 8, 25, promoted=0.5), 1.5, rng=0)
    assert data.posterior["f"].dims == ("chain", "draw", "rung")
    assert data.posterior["rung"].values.tolist() == list(range(2, 13))
    assert float(arviz.rhat(data)["f"].max()) < 1.02
    assert float(arviz.ess(data)["f"].min()) > 400


def test_chains_that_do_not_mix_are_told_by_r_hat(arviz):
    """Two heavy terms far apart, and a few sweeps: the control."""
    log = MistakeLog(20)
    for half in (np.arange(20) < 10, np.arange(20) >= 10):
        for _ in range(14):
            log.append(np.where(half, 1, 2), 1)
    log.append(np.full(20, 2), -1)
    stuck = diagnose(Ladder(steps=600), Agreement.of(log, np.ones(20)), 1.5, rng=0)
    with np.errstate(invalid="ignore"):  # on some rungs no chain moves at all
        assert float(np.nanmax(arviz.rhat(stuck)["f"])) > 1.05


def test_a_plot_of_every_rung():
    data = diagnose(Ladder(steps=800), random_agreement(1, 8, 25, promoted=0.5), 1.5, rng=0)
    axes = plot_rungs(data)
    assert [axis.get_ylabel() for axis in axes] == ["effective sample size", "R-hat"]
    assert len(axes[0].lines[0].get_xdata()) == 11


def test_what_is_missing_or_needs_no_chain_is_said(monkeypatch):
    with pytest.raises(ValueError, match="needs no chain"):
        diagnose(Ladder(), Agreement.of(MistakeLog(3), [1, 1, 1]), 1.5)
    with pytest.raises(ValueError, match="chains must be at least 2"):
        diagnose(Ladder(), random_agreement(1, 8, 25, promoted=0.5), 1.5, chains=1)
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r"pip install 'winnowkit\[diagnose\]'"):
        diagnose(Ladder(), random_agreement(1, 8, 25, promoted=0.5), 1.5)
