"""Learners that count: SBSB and SASB, the direct Bayes algorithm, Directed Drift."""
