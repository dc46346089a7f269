"""Hierarchical releases: which queries two datasets move, and by how much, pair by pair.

``changes`` says what a change of one record's attributes does to every query, and ``nests`` what it
does to attributes that lie within each other; ``places`` what the invariants leave of the
geography, ``divisions`` what one unit holds of a lower level, ``ways`` where structural zeros let a
record go. ``pairs`` puts them together, ``existence`` says which kinds of pairs there are, and
``secrets`` names them.
"""
