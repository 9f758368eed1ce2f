"""Learners whose attributes and classes turn up over time.

At every moment each is the learner of its paper for the n attributes seen so far. A new attribute has what one has that
was 0 in all examples so far; what depends on n follows n; past updates stay as they were made.
"""
