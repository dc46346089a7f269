"""The law of a sum of losses: atoms are moved to a grid, tilted and added up, errors bounded."""
