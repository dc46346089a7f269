"""A single pair in closed form."""
