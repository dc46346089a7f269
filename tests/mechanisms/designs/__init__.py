"""Tests of designs of noise."""
