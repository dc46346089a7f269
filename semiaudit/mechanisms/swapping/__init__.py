"""Swapping: the strata, the proven bounds on what they lose, and the kind."""
