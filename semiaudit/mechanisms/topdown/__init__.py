"""Hierarchical releases: the loss of noise on many queries at many levels, pair by pair."""
