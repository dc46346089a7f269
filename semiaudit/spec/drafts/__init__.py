"""Specs that the program writes: first drafts, and specs with another mechanism."""
