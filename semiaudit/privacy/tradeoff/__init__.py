"""Piecewise-linear tradeoff functions: the certified polygons of guarantees."""
