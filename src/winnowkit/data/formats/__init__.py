"""One file format a module: how it is recognised, read in pieces of bounded size, and written."""
