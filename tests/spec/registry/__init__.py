"""Tests of entries of the registry, as they are read and written."""
