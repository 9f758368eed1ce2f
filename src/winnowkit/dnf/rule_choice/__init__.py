"""Choose few rules by rows: terms that gain most, local search, and the whole trade-off."""
