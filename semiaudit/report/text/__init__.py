"""Reports for a terminal, plain or with styles, and how they are wrapped."""
