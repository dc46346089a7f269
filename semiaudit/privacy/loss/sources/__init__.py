"""Sources of losses: one direction of one pair, its privacy loss listed as weighted atoms."""
