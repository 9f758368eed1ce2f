"""Names that ``--help`` and completion need, where nothing heavy is imported."""

LEARNERS = (
    "Committee",
    "DNFWinnow",
    "Winnow2",
    "Winnow1",
    "BalancedWinnow",
    "NormalizedWinnow",
    "ThresholdedBEG",
    "BayesBEG",
    "SASB",
    "SBSB",
    "DirectBayes",
    "DirectedDrift",
    "Elimination",
)
FORMATS = ("csv", "tsv", "parquet", "feather", "arff", "libsvm", "vw", "snow")
