"""Samplers of the noise of mechanisms; each documents how exact it is."""
