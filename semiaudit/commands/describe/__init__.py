"""`semiaudit mechanism describe`: the distribution of the noise, and the vectors it must hide."""
