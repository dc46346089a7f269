"""Tests of `semiaudit mechanism`."""
