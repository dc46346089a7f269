"""Tests of `semiaudit mechanism describe`."""
