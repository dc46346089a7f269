"""The mechanism section of a spec: the grammar of each kind, and what reads it."""
