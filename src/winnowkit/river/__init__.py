"""Learners as river classifiers: examples are dictionaries, and features and classes appear over time.

Needs river: ``pip install 'winnowkit[river]'``.
"""

try:
    import river.base  # noqa: F401
except ImportError as error:
    raise ImportError("winnowkit.river needs river: pip install 'winnowkit[river]'") from error

from winnowkit.river.classifier import RiverClassifier

__all__ = ["RiverClassifier"]
