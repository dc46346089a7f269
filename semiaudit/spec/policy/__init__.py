"""Budgets, waivers, and policies: what a spec is checked against."""
