"""`semiaudit batch`: many specs, audited in parallel, with one summary."""
