"""Enclosures of the normal law, binomial masses and the theta function; roots in floats."""
