"""`semiaudit rule`: the meaning of a rule."""
