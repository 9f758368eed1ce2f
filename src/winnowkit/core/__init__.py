"""What every room uses: compiled loops, rows, random streams, files, validation, labels, transactions."""
