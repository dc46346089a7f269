"""Tests of `semiaudit glossary`."""
