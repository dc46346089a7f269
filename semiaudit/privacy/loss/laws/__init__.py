"""From atoms to the law of a sum: moved to a grid, tilted, and summed with every error bounded."""
