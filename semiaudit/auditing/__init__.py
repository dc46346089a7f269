"""One audit: count t, analyze D_t, compute every guarantee's numbers, and collect findings."""
