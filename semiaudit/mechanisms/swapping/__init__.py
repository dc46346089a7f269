"""Swapping: the strata, the proven bounds on their loss, and the kind."""
