"""Sources of losses: the privacy loss of one direction of one pair, as weighted atoms."""
