"""File formats, one module per format; all are read in chunks of bounded size."""
