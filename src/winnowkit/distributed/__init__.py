"""Training on many machines: Dask schedules, and shards of a table learn by themselves between combinations.

`pip install 'winnowkit[dask]'` brings Dask. See docs/many-machines.md.
"""

from winnowkit.distributed.combine import combine
from winnowkit.distributed.fitting import evaluate, fit, partial_fit, predict

__all__ = ["combine", "evaluate", "fit", "partial_fit", "predict"]
