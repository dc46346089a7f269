"""The kinds of pairs of distributions, each with all its operations in the calculus.

A kind of pair is described in ``model.loss``; here ``NAME.py`` has its closed form, the list of its
losses for the composition, and its ``PairKind``; ``pair_kinds`` maps one to the other. Nothing else
in the program depends on the kind of a pair. Functions that list losses import numpy themselves, as
closed forms do not need it.
"""
