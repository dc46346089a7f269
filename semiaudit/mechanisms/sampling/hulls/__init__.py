"""K-norm noise of a hull: its facets, its simplices, and a sampler for too many facets."""
