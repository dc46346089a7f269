"""Changes of the answer of a query, in all of D and inside D_t."""
