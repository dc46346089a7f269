"""Entries of the OpenDP deployments registry: written from an audit, and reviewed."""
