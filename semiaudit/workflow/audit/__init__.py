"""One audit: t counted, D_t analysed, every notion in numbers, and what a reader must know."""
