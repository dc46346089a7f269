"""Many audits at once: workers, limits, a journal, and one summary."""
