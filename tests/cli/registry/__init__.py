"""Tests of `semiaudit registry`."""
