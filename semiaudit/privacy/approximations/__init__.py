"""Approximations with an error of unknown sign. Nothing here is a guarantee."""
