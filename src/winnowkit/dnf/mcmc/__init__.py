"""The samplers of Tao & Scott (2004): ladders of Markov chains and their early stop."""
