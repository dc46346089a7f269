"""Hierarchical releases: what the noise of many queries at many levels loses, pair by pair."""
