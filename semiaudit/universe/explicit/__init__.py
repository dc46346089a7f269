"""Small explicit dataspaces: D is enumerated and all distances are computed, for any invariant."""
