"""Tradeoff functions as values with both ends: where they come from, what is done with them."""
