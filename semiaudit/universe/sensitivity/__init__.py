"""By how much the answer of a query changes, in all of D and inside D_t."""
