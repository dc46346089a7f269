"""D_t as an integer system over classes of cells, and the tables that solve it."""
