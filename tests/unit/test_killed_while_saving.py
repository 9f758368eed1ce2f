"""Whenever a program is killed, there is a whole model in the file."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from winnowkit import load

SAVE_FOREVER = """
import sys
import numpy as np
from winnowkit import Winnow2, save
model = Winnow2().begin(n_features=500_000, classes=[0, 1])
print("ready", flush=True)
while True:
    model.learn_active(np.arange(400_000), model.n_trials_ % 2)
    save(model, sys.argv[1])
"""


@pytest.mark.slow
def test_a_kill_leaves_the_old_model_or_the_new(tmp_path):
    path, rng, trials = tmp_path / "model", np.random.default_rng(0), 0
    for _ in range(12):
        process = subprocess.Popen([sys.executable, "-c", SAVE_FOREVER, path], stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        while not path.exists():
            time.sleep(0.01)
        time.sleep(rng.uniform(0.0, 0.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        trials = max(trials, load(path).n_trials_)
    assert trials > 1  # it was killed between saves, or in one
