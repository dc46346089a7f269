"""The order of guarantees: which of two is stronger, and the strongest of several."""
