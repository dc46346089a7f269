"""Tests of entries of the registry, as they are made and reviewed."""
