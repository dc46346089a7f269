"""K-norm noise of a hull: its facets, its simplices, and what is sampled if it has too many."""
