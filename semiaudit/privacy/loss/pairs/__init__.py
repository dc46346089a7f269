"""The kinds of pairs of distributions, each with all its operations in the calculus.

A kind of pair is described in ``model.loss``; here ``NAME.py`` makes its ``Kind``,
``NAME_source.py`` lists its losses for the composition (and loads numpy), and ``registry`` maps one
to the other. Nothing else in the program depends on the kind of a pair.
"""
