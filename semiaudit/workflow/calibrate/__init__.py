"""Designs of noise for a query and a target, and the spec of one of them."""
