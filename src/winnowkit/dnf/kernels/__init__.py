"""Compiled loops of weighted sums over terms."""
