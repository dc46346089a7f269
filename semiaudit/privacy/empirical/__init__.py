"""Lower confidence bounds on privacy losses, from how often an event happened in runs of code."""
