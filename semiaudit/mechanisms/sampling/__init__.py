"""Samplers of the noise that mechanisms state; what is exact, and what is not, each says itself."""
