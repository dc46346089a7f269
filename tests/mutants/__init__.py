"""Mutants: the program with one statement changed, and whether the tests notice."""
