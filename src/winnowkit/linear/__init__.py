"""Linear learners: the Winnow and BEG families and committees of them, one kernel for all."""
