"""Small explicit dataspaces: D is enumerated and all distances are taken, for any invariant."""
