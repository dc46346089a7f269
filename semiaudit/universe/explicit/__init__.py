"""Small explicit dataspaces: everything by enumeration, for any invariant."""
