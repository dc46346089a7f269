"""The published numbers and figures of the sources, computed anew and set beside each other."""
