"""Entries of the OpenDP deployments registry: their grammar, read and written."""
