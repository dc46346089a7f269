"""`semiaudit init`: a new spec, from an example or from a table."""
