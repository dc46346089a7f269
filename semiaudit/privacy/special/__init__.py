"""Special functions and roots that the calculus rests on."""
