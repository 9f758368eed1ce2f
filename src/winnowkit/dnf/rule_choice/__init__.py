"""Choose few rules by rows: terms that gain most, local search, an integer programme, and the whole trade-off."""
