"""The law of a sum of losses: atoms on a grid, tilted and convolved, with bounded errors."""
