"""`semiaudit rule`: what a rule means."""
