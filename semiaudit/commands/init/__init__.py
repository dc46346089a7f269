"""`semiaudit init`: a new spec, from an example or of a table."""
