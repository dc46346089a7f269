"""Where losses come from: one direction of one pair, as weighted atoms on its way to a grid."""
