"""Tests of designs that are calibrated."""
