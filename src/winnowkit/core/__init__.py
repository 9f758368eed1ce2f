"""Shared by every room: compiled loops, rows, random streams, files, validation, labels, transactions."""
