"""`semiaudit check`: specs against their budgets and a policy."""
