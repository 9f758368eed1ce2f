"""``winnowkit warmup``: compile everything ahead of its first use."""

from __future__ import annotations

import argparse

from winnowkit.cli.messages import OK
from winnowkit.cli.output import counted, note
from winnowkit.core.jit import cache_folders
from winnowkit.core.kernel_cache import SUFFIX
from winnowkit.precompile import warmup


def run(arguments: argparse.Namespace) -> int:
    """Compile all kernels and say where they are."""
    warmup(n_jobs=arguments.jobs, progress=not arguments.quiet)
    folders = cache_folders()
    if not folders:
        note("no folder can be written safely, so nothing was kept; set WINNOWKIT_CACHE_DIR", quiet=False)
        return OK
    n_kernels = len(list(folders[0].glob(f"*{SUFFIX}")))
    note(f"{counted(n_kernels, 'kernel')} in {folders[0]}", quiet=arguments.quiet)
    return OK
