"""One audit: t counted, D_t analyzed, every notion in numbers, and what a reader must know."""
