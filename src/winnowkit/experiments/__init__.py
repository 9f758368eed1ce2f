"""Scripts that show the learners at work: the demo, and the papers' tables and figures."""
