"""Checks of a witness that know no solver and no class of cells."""
