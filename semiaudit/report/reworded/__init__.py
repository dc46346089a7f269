"""Messages in the words that they had first, for fingerprints of the first version."""
