"""The scikit-learn faces of the rules: thin, and all of one kind."""
