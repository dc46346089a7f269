"""The combinatorics of D_t: how far apart the datasets that agree on the invariants are."""
