"""Counts out of tables and microdata. Only group-by counts leave this floor, never a record."""
