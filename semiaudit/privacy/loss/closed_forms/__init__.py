"""What the closed forms of single pairs have in common: no composition, no transform, no grid."""
