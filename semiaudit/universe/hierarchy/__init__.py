"""Hierarchical releases: which queries two datasets move, and by how much, pair by pair.

``changes`` says what a change of one record's attributes does to every query, ``places`` what the
invariants leave of the geography, ``pairs`` puts both together.
"""
