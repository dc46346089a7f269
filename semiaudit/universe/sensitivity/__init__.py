"""Sensitivity spaces: changes of a query's answer, in all of D and inside D_t."""
