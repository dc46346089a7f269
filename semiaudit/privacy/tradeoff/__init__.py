"""Piecewise-linear tradeoff functions, the certified polygons that guarantees are made of."""
