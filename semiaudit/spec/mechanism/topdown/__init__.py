"""Hierarchical releases in a spec: the grammar, names, levels, and the allocation of rho."""
