"""Rule sets in other languages."""
