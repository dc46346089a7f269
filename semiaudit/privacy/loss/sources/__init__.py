"""Where losses come from: one order of one pair, as weighted atoms on its way to a grid."""
