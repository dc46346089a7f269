"""The interface of closed forms of single pairs: no composition, no transform, no grid."""
