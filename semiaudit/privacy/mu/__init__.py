"""One mu for a whole tradeoff function, and its regret."""
