"""Which of two guarantees promises more, and the best of several."""
