"""Hierarchical releases: which queries each kind of pair of datasets changes, and by how much.

``changes`` computes the effect of a change of one record's attributes on every query, and ``nests``
the effect on nested attributes. ``places`` computes the part of the geography that the invariants
leave open, ``divisions`` the units of a lower level inside one unit, and ``ways`` the places to
which structural zeros let a record go. ``pairs`` combines them, ``existence`` decides which kinds
of pairs exist, and ``secrets`` names them.
"""
