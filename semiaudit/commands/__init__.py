"""The commands: a folder for each, with what only that command needs."""
