"""Reports for a terminal, plain or styled, and their wrapping."""
