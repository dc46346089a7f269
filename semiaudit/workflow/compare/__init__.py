"""Releases side by side."""
