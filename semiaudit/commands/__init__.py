"""The commands: one folder each, with the code that only that command needs."""
