"""The calculus of guarantees: what can be said of two output distributions, on the safe side."""
