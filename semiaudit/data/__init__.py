"""Counts from tables and microdata. Only group-by counts leave this package, never a record."""
