"""The kinds of pairs of distributions, each with all that the calculus knows of it.

A kind of pair is described in ``model.loss``; here ``NAME.py`` makes its ``Kind``,
``NAME_source.py`` lists its losses for the composition (and loads numpy), and ``registry`` leads
from one to the other. Nothing else in the program asks of which kind a pair is.
"""
