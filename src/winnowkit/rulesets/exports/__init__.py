"""Rule sets in the languages of other systems, one module per language."""
