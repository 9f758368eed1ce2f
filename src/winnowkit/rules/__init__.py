"""The papers' algorithms, one a file: what a learner keeps, how it predicts, how it updates, and when."""
